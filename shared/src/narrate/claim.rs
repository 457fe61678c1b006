//! Claims: what they brought, what they passed over, why they brought nothing.

use super::parts::{id_ranges, with_rows};
use super::{Told, actor, by, harm, quiet, waiting};
use crate::event::{ClaimedJob, EmptyReason, Refusal, RefusalKind};
use crate::ids::{Actor, JobId, WorkerId};
use crate::scenario::{Mode, Order};
use crate::text::Message;
use crate::world::{Change, JobState, World};

pub(super) fn claimed(who: Actor, jobs: &[ClaimedJob], before: &World) -> Told {
    let ids: Vec<JobId> = jobs.iter().map(|job| job.job).collect();
    if let Some((id, taken)) = ids.iter().find_map(|id| taken(who, *id, before).map(|taken| (*id, taken))) {
        let ids = id.to_string();
        return harm(match taken {
            Taken::Done => by(who, "tell-claimed-done").with("ids", ids),
            Taken::By(other) => {
                by(who, "tell-claimed-taken").with("ids", ids).with("other", actor(Actor::Worker(other)))
            }
        });
    }
    let passed: Vec<JobId> = jobs.iter().flat_map(|job| job.passed.iter().copied()).collect();
    if !passed.is_empty() {
        // A claim that waits passes over a row only because it had changed; one that skips, because it was locked.
        let waits = matches!(before.scenario.as_ref().map(|s| s.mode), Some(Mode::ForUpdate | Mode::Nowait));
        let key = if waits { "tell-claimed-recheck" } else { "tell-claimed-hopping" };
        return quiet(with_rows(by(who, key), &ids).with("passed", id_ranges(&passed)));
    }
    match jobs {
        [one] if one.delivery > 1 => {
            quiet(by(who, "tell-claimed-again").with("ids", one.job.to_string()).with("delivery", one.delivery))
        }
        _ => quiet(with_rows(by(who, "tell-claimed"), &ids)),
    }
}

/// What is wrong with a claim of a job that someone else has had or has.
enum Taken {
    Done,
    By(WorkerId),
}

fn taken(who: Actor, id: JobId, before: &World) -> Option<Taken> {
    let job = before.job(id)?;
    let other = |worker: &WorkerId| Actor::Worker(*worker) != who;
    if job.state == JobState::Done {
        return Some(Taken::Done);
    }
    // Someone whose COMMIT is sent, but whose answer is not read yet, has made the row what it is.
    let holder = job.holder.as_ref().map(|holder| holder.who).filter(|holder| *holder != who);
    if let Some(session) = holder.and_then(|holder| before.session(holder)).filter(|session| session.ending) {
        let mut changes = session.transaction.iter().flat_map(|transaction| &transaction.changes);
        match changes.rfind(|change| change.job() == id) {
            Some(Change::Ack { .. }) => return Some(Taken::Done),
            Some(Change::Claim { .. }) => return holder.and_then(Actor::worker).map(Taken::By),
            _ => {}
        }
    }
    let owner = job.owner.filter(|owner| job.state == JobState::Processing && other(owner));
    job.running.iter().copied().find(other).or(owner).map(Taken::By)
}

pub(super) fn empty(who: Actor, reason: EmptyReason, before: &World) -> Told {
    match reason {
        // Idle workers ask again and again; once is news.
        EmptyReason::QueueEmpty if before.counters.empties(reason) == 0 => quiet(by(who, "tell-empty-queue")),
        EmptyReason::QueueEmpty | EmptyReason::Unknown => None,
        EmptyReason::AllLocked => waiting(by(who, "tell-empty-locked").with("n", before.count(JobState::Queued))),
        EmptyReason::NotYetDue => quiet(by(who, "tell-empty-not-due")),
        EmptyReason::ArrivedAfterSnapshot => quiet(by(who, "tell-empty-after-snapshot")),
    }
}

/// A statement that failed.
pub(super) fn refused(who: Actor, refusal: &Refusal, before: &World) -> Told {
    let inside = |key| Message::new(key).with("who", actor(who));
    match refusal.kind {
        RefusalKind::Nowait => waiting(match first_locked(who, before) {
            Some(row) => inside("tell-nowait-row").with("row", row.0),
            None => inside("tell-nowait"),
        }),
        RefusalKind::LockTimeout => {
            let row = before.session(who).and_then(|session| session.wait.as_ref()).and_then(|wait| wait.job);
            waiting(match row {
                Some(row) => inside("tell-lock-timeout-row").with("row", row.0),
                None => inside("tell-lock-timeout"),
            })
        }
        RefusalKind::Serialization => waiting(by(who, "tell-serialization")),
        RefusalKind::Deadlock => harm(inside("tell-deadlock")),
        RefusalKind::Cancelled => harm(inside("tell-cancelled")),
        // The loss of the session has a sentence of its own.
        kind if kind.ends_session() => None,
        _ => harm(by(who, "tell-refused").with("detail", refusal.message.as_str())),
    }
}

/// The row that a NOWAIT must have met: the error does not name it, but it is the first in the claim's order if that one
/// is held by another. Without a total order, or if the world knows of no holder, nothing is said.
fn first_locked(who: Actor, before: &World) -> Option<JobId> {
    let scenario = before.scenario.as_ref().filter(|scenario| scenario.total_order())?;
    let by_priority = scenario.order == Order::PriorityRunAtId;
    let queued = before.jobs.iter().filter(|job| job.state == JobState::Queued && job.due_at <= before.at);
    let first = queued.min_by_key(|job| (if by_priority { job.priority } else { 0 }, job.due_at, job.id))?;
    first.holder.as_ref().filter(|holder| holder.who != who).map(|_| first.id)
}
