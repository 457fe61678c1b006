//! The word to the database: acks, COMMIT, ROLLBACK.

use super::parts::with_rows;
use super::{Told, Tone, by, good, harm, quiet};
use crate::ids::{Actor, JobId};
use crate::scenario::Shape;
use crate::sql::StatementId;
use crate::world::{Change, JobState, World};
use std::collections::BTreeMap;

/// An ack is worth a sentence when the job is someone else's by now and no fence asks; otherwise its COMMIT says it.
pub(super) fn acked(who: Actor, id: JobId, before: &World) -> Told {
    let job = before.job(id)?;
    let apart = before.scenario.as_ref().is_some_and(|scenario| scenario.shape == Shape::ClaimCommit);
    let mine = job.state == JobState::Processing && job.owner == who.worker();
    (apart && !mine).then(|| (Tone::Harm, by(who, "tell-acked-not-mine").with("row", id.0)))
}

pub(super) fn stale(who: Actor, id: JobId, before: &World) -> Told {
    let statement = match before.session(who).and_then(|session| session.statement) {
        Some(StatementId::Requeue) => "requeue",
        Some(StatementId::DeadLetter) => "dead-letter",
        _ => "ack",
    };
    harm(by(who, "tell-stale-ack").with("statement", statement).with("row", id.0))
}

pub(super) fn committed(who: Actor, before: &World) -> Told {
    let session = before.session(who)?;
    let Some(transaction) = &session.transaction else {
        // The next in line told of its claim first: the fold has settled this COMMIT there.
        return session.ending.then(|| (Tone::Quiet, by(who, "tell-commit-passed-on")));
    };
    // Of several changes of one row the last one counts.
    let last: BTreeMap<JobId, Change> = transaction.changes.iter().map(|change| (change.job(), *change)).collect();
    let ids: Vec<JobId> = last.keys().copied().collect();
    let said = |key| with_rows(by(who, key), &ids);
    let all = |of: fn(&Change) -> bool| last.values().all(of);
    if last.is_empty() {
        let held = &session.holds;
        return (!held.is_empty()).then(|| (Tone::Quiet, with_rows(by(who, "tell-commit"), held)));
    }
    if all(|change| matches!(change, Change::Ack { .. })) {
        good(said("tell-commit-done"))
    } else if all(|change| matches!(change, Change::Claim { .. })) {
        quiet(said("tell-commit-claim"))
    } else if all(|change| matches!(change, Change::Requeue { .. })) {
        quiet(said("tell-commit-queued"))
    } else if all(|change| matches!(change, Change::DeadLetter { .. })) {
        quiet(said("tell-commit-failed"))
    } else {
        quiet(said("tell-commit"))
    }
}

/// A rollback after an error has been told with the error; what is left is the row that goes back.
pub(super) fn rolled_back(who: Actor, before: &World) -> Told {
    let changes = &before.session(who)?.transaction.as_ref()?.changes;
    let claimed: Vec<JobId> =
        changes.iter().filter(|change| matches!(change, Change::Claim { .. })).map(|change| change.job()).collect();
    (!claimed.is_empty()).then(|| (Tone::Quiet, with_rows(by(who, "tell-rollback"), &claimed)))
}
