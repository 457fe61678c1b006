//! Public cases about row locks in job queues, by their row sets, SQLSTATEs and counts.
//!
//! Where a case is about the queue program, a run plays it, stopped at breakpoints; where it is about a statement,
//! sessions driven by hand do.

mod claiming;
mod clients;
mod contention;
mod rescue;
mod statements;

use crate::server::Going;
use rowlock_shared::event::What;
use rowlock_shared::ids::JobId;
use rowlock_shared::program::Point;
use rowlock_shared::wire::Intervention;
use rowlock_shared::world::World;

/// How many workers stand at this point.
fn standing(world: &World, point: Point) -> usize {
    world.workers.iter().filter(|worker| worker.session.paused_at == Some(point)).count()
}

/// Lets everyone who gets there stand at this point. Given right after the start it holds from the first step on.
fn stop_at(going: &Going, point: Point) {
    going.run.intervene(Intervention::Break { worker: None, point });
}

/// Takes that back.
fn go_on(going: &Going, point: Point) {
    going.run.intervene(Intervention::Clear { worker: None, point });
}

/// The claims so far: (job, attempt) of each job that one brought.
fn claims(going: &Going) -> Vec<(JobId, u32)> {
    let claimed = going.events.iter().filter_map(|event| match &event.what {
        What::Claimed { jobs } => Some(jobs.iter().map(|job| (job.job, job.attempt))),
        _ => None,
    });
    claimed.flatten().collect()
}

/// Most workers at work at once.
fn most_at_work(going: &Going) -> usize {
    let (mut at_work, mut most) = (0usize, 0);
    for event in &going.events {
        match event.what {
            What::WorkBegan { .. } => at_work += 1,
            What::WorkEnded { .. } => at_work -= 1,
            _ => {}
        }
        most = most.max(at_work);
    }
    most
}
