//! What a worker does right now.

use super::actor;
use super::parts::{actors, point};
use crate::event::PauseReason;
use crate::ids::Actor;
use crate::text::Message;
use crate::world::{Activity, Waiting, WorkerView, World};

/// What a worker does right now, in a few words: "works on row 17 · 43 %". Progress is that of `world.at`.
pub fn activity(worker: &WorkerView, world: &World) -> Message {
    activity_at(worker, world, world.at)
}

/// The same at a moment after the world's last event, in µs of the run: work goes on between events.
pub fn activity_at(worker: &WorkerView, world: &World, at: u64) -> Message {
    if let Some(at) = worker.session.paused_at {
        return Message::new("doing-breakpoint").with("point", point(at));
    }
    match &worker.activity {
        Activity::Crashed { point: at } => Message::new("doing-crashed").with("point", point(*at)),
        Activity::Hung { job } => Message::new("doing-hung").with("row", job.0),
        _ if world.ended.is_some() => Message::new("doing-over"),
        doing => match &worker.session.wait {
            Some(wait) => waits(wait, worker, world),
            None => does(doing, worker, world, at),
        },
    }
}

fn does(doing: &Activity, worker: &WorkerView, world: &World, at: u64) -> Message {
    match doing {
        Activity::Working { job, .. } => {
            let percent = (worker.progress(at).unwrap_or(0.0) * 100.0) as u32;
            let said = |key| Message::new(key).with("row", job.0).with("percent", percent);
            let running = world.job(*job).into_iter().flat_map(|job| job.running.iter().copied());
            let others: Vec<Actor> = running.filter(|one| *one != worker.id).map(Actor::Worker).collect();
            match actors(&others) {
                Some(others) => said("doing-working-too").with("other", others),
                None => said("doing-working"),
            }
        }
        Activity::Settling { job } => Message::new("doing-settling").with("row", job.0),
        Activity::Pausing { reason, .. } => Message::new(match reason {
            PauseReason::Poll => "doing-sleeping",
            PauseReason::Backoff => "doing-backoff",
            PauseReason::Notify => "doing-listening",
        }),
        Activity::Polling => Message::new("doing-polling"),
        Activity::Starting | Activity::Crashed { .. } | Activity::Hung { .. } => Message::new("doing-starting"),
    }
}

fn waits(wait: &Waiting, worker: &WorkerView, world: &World) -> Message {
    let me = Actor::Worker(worker.id);
    let Some(id) = wait.job else {
        return match actors(&wait.blocked_by) {
            Some(other) => Message::new("doing-waiting-lock").with("other", other),
            None => Message::new("doing-waiting"),
        };
    };
    let row = |key| Message::new(key).with("row", id.0);
    // The line as it stands now: those ahead may have left it since the wait began.
    let job = world.job(id);
    let line = job.map_or(&[][..], |job| job.queue.as_slice());
    let index = line.iter().position(|one| *one == me).unwrap_or((wait.place as usize).saturating_sub(1));
    let holder = job.and_then(|job| job.holder.as_ref()).map(|holder| holder.who).filter(|holder| *holder != me);
    match index.checked_sub(1).and_then(|ahead| line.get(ahead).copied()) {
        Some(ahead) => row("doing-waiting-place").with("place", index + 1).with("other", actor(ahead)),
        None => match holder.or_else(|| wait.blocked_by.first().copied()) {
            Some(holder) => row("doing-waiting-next").with("other", actor(holder)),
            None => row("doing-waiting-row"),
        },
    }
}
