//! Work and what becomes of it: effects, crashes, hangs, rescue.

use super::parts::{point, refusal, with_rows};
use super::{Told, Tone, actor, by, duration, harm, quiet};
use crate::event::{Cause, Refusal};
use crate::ids::{Actor, JobId, WorkerId};
use crate::program::Point;
use crate::scenario::{CrashMethod, Shape};
use crate::text::Message;
use crate::world::{JobState, World};

pub(super) fn work_began(who: Actor, id: JobId, us: u64, before: &World) -> Told {
    let others = before.job(id).into_iter().flat_map(|job| &job.running);
    let other = others.copied().find(|worker| Actor::Worker(*worker) != who);
    let said = |key| by(who, key).with("row", id.0).with("time", duration(us));
    match other {
        Some(other) => harm(said("tell-work-too").with("other", other.letter())),
        // Work that takes no time is told by its effect.
        None if us == 0 => None,
        None => quiet(said("tell-work")),
    }
}

pub(super) fn work_ended(who: Actor, id: JobId, ok: bool, before: &World) -> Told {
    if !ok {
        return harm(by(who, "tell-work-failed").with("row", id.0));
    }
    // Where a job has effects, the repeated effect is the sentence.
    let silent = before.scenario.as_ref().is_some_and(|scenario| scenario.effects == 0);
    let again = before.job(id).is_some_and(|job| job.runs > 0);
    (silent && again).then(|| (Tone::Harm, by(who, "tell-work-again").with("row", id.0)))
}

pub(super) fn effect(who: Actor, id: JobId, effect: &str, repeats: Option<Cause>, before: &World) -> Told {
    let said = |key| Message::new(key).with("row", id.0).with("effect", effect).with("who", actor(who));
    let Some(first) = repeats else { return quiet(said("tell-effect")) };
    let nth = before.effects.iter().filter(|one| one.job == id && one.effect == effect).count() + 1;
    harm(if Actor::Worker(first.worker) == who {
        said("tell-effect-self").with("nth", nth)
    } else {
        said("tell-effect-twice").with("nth", nth).with("first", first.worker.letter())
    })
}

pub(super) fn crashed(who: Actor, at: Point, jobs: &[JobId], before: &World) -> Message {
    let said = |key| by(who, key).with("point", point(at));
    let scenario = before.scenario.as_ref();
    let in_flight = before.session(who).is_some_and(|session| session.in_flight);
    if in_flight && scenario.is_none_or(|scenario| scenario.crash_method == CrashMethod::CloseSocket) {
        return said("tell-crashed-in-flight");
    }
    // What was committed as processing stays so; what was not is rolled back.
    let stays =
        |id: &JobId| before.job(*id).is_some_and(|job| job.state == JobState::Processing && job.owner == who.worker());
    let (stuck, free): (Vec<JobId>, Vec<JobId>) = jobs.iter().partition(|id| stays(id));
    if !stuck.is_empty() {
        let reaper = scenario.is_some_and(|scenario| scenario.reaper);
        return with_rows(said(if reaper { "tell-crashed-stuck" } else { "tell-crashed-lost" }), &stuck);
    }
    if free.is_empty() { said("tell-crashed") } else { with_rows(said("tell-crashed-free"), &free) }
}

pub(super) fn hung(who: Actor, id: JobId, before: &World) -> Message {
    let holding = before.scenario.as_ref().is_some_and(|scenario| scenario.shape == Shape::Hold);
    by(who, if holding { "tell-hung-holding" } else { "tell-hung" }).with("row", id.0)
}

pub(super) fn session_lost(who: Actor, why: &Refusal, before: &World) -> Message {
    let held = before.session(who).map_or(&[][..], |session| session.holds.as_slice());
    let said = |key| Message::new(key).with("who", actor(who)).with("reason", refusal(why.kind));
    if held.is_empty() { said("tell-session-lost") } else { with_rows(said("tell-session-lost-rows"), held) }
}

pub(super) fn reaped(
    id: JobId,
    owner: Option<WorkerId>,
    attempt: u32,
    age_us: u64,
    dead: bool,
    before: &World,
) -> (Tone, Message) {
    let said = |key: &'static str| Message::new(key).with("row", id.0);
    if dead {
        return (Tone::Harm, said("tell-reaped-dead").with("attempt", attempt));
    }
    let timed = |key| said(key).with("time", duration(age_us));
    let Some(owner) = owner else { return (Tone::Good, timed("tell-reaped-nobody")) };
    let working = before.job(id).is_some_and(|job| job.running.contains(&owner)) && !is_hung(owner, before);
    let (tone, key) = if working { (Tone::Harm, "tell-reaped-working") } else { (Tone::Good, "tell-reaped") };
    (tone, timed(key).with("who", owner.letter()))
}

fn is_hung(worker: WorkerId, before: &World) -> bool {
    before.worker(worker).is_some_and(|worker| matches!(worker.activity, crate::world::Activity::Hung { .. }))
}

/// A backend that is none of the run's: worth a word when it is first seen.
pub(super) fn backend(who: Actor, orphan_of: Option<WorkerId>, state: &str, before: &World) -> Told {
    if before.session(who).is_some_and(|session| session.backend.is_some()) {
        return None;
    }
    Some(match orphan_of {
        Some(worker) => (Tone::Waiting, by(who, "tell-orphan").with("worker", worker.letter()).with("state", state)),
        None => (Tone::Quiet, by(who, "tell-stranger").with("state", state)),
    })
}

/// The news is that its locks are free.
pub(super) fn backend_gone(who: Actor, before: &World) -> Told {
    if who.worker().is_some() {
        return Some((Tone::Good, by(who, "tell-backend-ended")));
    }
    let orphan_of = before.session(who)?.backend.as_ref()?.orphan_of?;
    Some((Tone::Good, by(who, "tell-orphan-gone").with("worker", orphan_of.letter())))
}
