//! Waits for locks, and the locks that a look at pgrowlocks shows.

use super::parts::actors;
use super::{Told, actor, by, duration, quiet};
use crate::event::{LockRow, WaitFor};
use crate::ids::{Actor, JobId};
use crate::text::{Arg, Message};
use crate::world::World;

/// Most waiters that are named one by one.
const MOST_NAMED: usize = 5;

pub(super) fn began(
    who: Actor,
    wait: WaitFor,
    job: Option<JobId>,
    blocked_by: &[Actor],
    place: u32,
    lock: &LockRow,
    before: &World,
) -> Message {
    let Some(job) = job else { return elsewhere(who, wait, blocked_by, lock) };
    let row = |key| by(who, key).with("row", job.0);
    let view = before.job(job);
    let line = view.map_or(&[][..], |job| job.queue.as_slice());
    let mut ahead: Vec<Actor> = line.iter().copied().filter(|one| *one != who).collect();
    ahead.truncate((place as usize).saturating_sub(1));
    // pg_blocking_pids names waiters ahead as well as the holder: who is not in line holds.
    let known = view.and_then(|job| job.holder.as_ref()).map(|holder| holder.who).filter(|holder| *holder != who);
    let holder = known.or_else(|| blocked_by.iter().copied().find(|one| !line.contains(one)));
    match (holder, in_line(&ahead)) {
        (Some(holder), None) => row("tell-wait-first").with("holder", actor(holder)),
        (Some(holder), Some((n, ahead))) => {
            row("tell-wait-behind").with("holder", actor(holder)).with("n", n).with("ahead", ahead)
        }
        (None, Some((n, ahead))) => row("tell-wait-queue").with("n", n).with("ahead", ahead),
        (None, None) => row("tell-wait-row"),
    }
}

/// Worth a word only when someone comes to the head of the line.
pub(super) fn moved(who: Actor, place: u32, before: &World) -> Told {
    let wait = before.session(who)?.wait.as_ref()?;
    let row = wait.job.filter(|_| place == 1 && wait.place > 1)?;
    quiet(by(who, "tell-wait-next").with("row", row.0))
}

/// How many are ahead, and their names: of a long line the first and how the rest begins, "A, B, C, D, E …".
fn in_line(ahead: &[Actor]) -> Option<(usize, Arg)> {
    let all = actors(ahead)?;
    let named = ahead.get(..MOST_NAMED).filter(|_| ahead.len() > MOST_NAMED);
    let some = named.map(|named| {
        let marks: Vec<String> = named.iter().map(|one| one.mark()).collect();
        format!("{} … ({})", marks.join(", "), ahead.len()).into()
    });
    Some((ahead.len(), some.unwrap_or(all)))
}

fn elsewhere(who: Actor, wait: WaitFor, blocked_by: &[Actor], lock: &LockRow) -> Message {
    let lock = || match &lock.relation {
        Some(relation) => format!("{} {} {relation}", lock.locktype, lock.mode),
        None => format!("{} {}", lock.locktype, lock.mode),
    };
    match (actors(blocked_by), wait) {
        (Some(holder), WaitFor::Relation) => by(who, "tell-wait-table").with("holder", holder),
        (Some(holder), WaitFor::Advisory) => by(who, "tell-wait-advisory").with("holder", holder),
        (Some(holder), _) => by(who, "tell-wait-other").with("lock", lock()).with("holder", holder),
        (None, _) => by(who, "tell-wait-unknown").with("lock", lock()),
    }
}

pub(super) fn ended(who: Actor, us: u64, before: &World) -> Message {
    match before.session(who).and_then(|session| session.waited_for) {
        Some(row) => by(who, "tell-waited-row").with("row", row.0).with("time", duration(us)),
        None => by(who, "tell-waited").with("time", duration(us)),
    }
}

/// Only what nobody has told: the locks of people who joined with a psql of their own.
pub(super) fn row_locked(who: Actor, job: JobId, modes: &[String]) -> Told {
    match who {
        Actor::Stranger { .. } => quiet(by(who, "tell-row-locked").with("row", job.0).with("modes", modes.join(", "))),
        _ => None,
    }
}

pub(super) fn row_released(who: Actor, job: JobId) -> Told {
    match who {
        Actor::Stranger { .. } => quiet(by(who, "tell-row-released").with("row", job.0)),
        _ => None,
    }
}
