//! Claiming: the part that the modes differ in.

use super::board::Doing;
use super::point::Point;
use super::run::{Engine, Run};
use super::session::Database;
use super::session::{Answer, Session, Value};
use super::settle::{commit, rollback};
use super::worker::{Halt, pass};
use crate::event::{ClaimedJob, EmptyReason, What};
use crate::ids::{Actor, JobId, WorkerId};
use crate::scenario::fate::fate;
use crate::scenario::{Mode, Shape};
use crate::sql::StatementId;

/// What a claim brought.
pub(super) enum Claim {
    /// Jobs. With work held in the transaction it is still open.
    Jobs(Vec<ClaimedJob>),
    /// Nothing.
    Empty(EmptyReason),
    /// Rows were read as queued, and none of them still was.
    RaceLost,
    /// The database refused; the transaction is rolled back.
    Refused,
}

/// One claim, from BEGIN to COMMIT (or, with work held in the transaction, up to the jobs in hand).
pub(super) async fn claim<E: Engine>(run: &Run<E>, me: WorkerId, session: &mut impl Session) -> Result<Claim, Halt> {
    let who = Actor::Worker(me);
    run.execute(who, session, StatementId::Begin, &[]).await?;
    match ask(run, me, session).await {
        Err(Halt::Lost(refusal)) if !refusal.kind.ends_session() => {
            run.fail_unless_it_passes(&refusal);
            rollback(run, who, session).await?;
            Ok(Claim::Refused)
        }
        Ok(Claim::Jobs(jobs)) if run.knobs().scenario.shape == Shape::ClaimCommit => {
            match commit(run, who, session).await {
                Err(Halt::Lost(refusal)) if !refusal.kind.ends_session() => {
                    run.board.drop_all(me);
                    Ok(Claim::Refused)
                }
                Err(halt) => Err(halt),
                Ok(()) => Ok(Claim::Jobs(jobs)),
            }
        }
        Ok(Claim::Jobs(jobs)) => Ok(Claim::Jobs(jobs)),
        Ok(nothing) => {
            commit(run, who, session).await?;
            Ok(nothing)
        }
        Err(halt) => Err(halt),
    }
}

/// The statements of the mode.
async fn ask<E: Engine>(run: &Run<E>, me: WorkerId, session: &mut impl Session) -> Result<Claim, Halt> {
    let who = Actor::Worker(me);
    let knobs = run.knobs();
    let name = Value::Text(me.name());
    let answer = match knobs.scenario.mode {
        Mode::ForUpdate | Mode::SkipLocked | Mode::Nowait => {
            run.execute(who, session, StatementId::Claim, &[name]).await?
        }
        Mode::Advisory | Mode::AdvisoryUnguarded => {
            let key = Value::Int(i64::from(run.database.advisory_key()));
            run.execute(who, session, StatementId::ClaimAdvisory, &[name, key]).await?
        }
        Mode::Naive | Mode::NaiveGuarded => {
            let seen = run.execute(who, session, StatementId::NaiveSelect, &[]).await?;
            if seen.rows.is_empty() {
                return empty(run, who, session).await;
            }
            pass(run, who, Point::AfterSelect, None).await?;
            let ids: Vec<i64> = seen.rows.iter().map(|row| row[0].int()).collect();
            let got = run.execute(who, session, StatementId::NaiveUpdate, &[Value::Ints(ids.clone()), name]).await?;
            if got.rows.is_empty() {
                run.tell(who, What::RaceLost { jobs: ids.into_iter().map(job_id).collect() });
                return Ok(Claim::RaceLost);
            }
            got
        }
    };
    if answer.rows.is_empty() {
        return empty(run, who, session).await;
    }
    let jobs = in_hand(run, me, &answer);
    run.tell(who, What::Claimed { jobs: jobs.clone() });
    for job in &jobs {
        pass(run, who, Point::AfterClaim, Some(&fate(&run.knobs().scenario, job.job, job.delivery))).await?;
    }
    Ok(Claim::Jobs(jobs))
}

/// Reads the claimed rows (id, attempts, and the passed-over ids where the statement has that clause).
fn in_hand<E: Engine>(run: &Run<E>, me: WorkerId, answer: &Answer) -> Vec<ClaimedJob> {
    run.board.note(me, Doing::Busy);
    run.board.stir();
    let ids: Vec<i64> = answer.rows.iter().map(|row| row[0].int()).collect();
    let claimed = answer.rows.iter().map(|row| {
        let job = job_id(row[0].int());
        let attempt = u32::try_from(row[1].int()).unwrap_or(0);
        run.board.take(me, job, attempt);
        // Ahead of the claimed row in the snapshot: that includes the other rows of the same batch.
        let passed = row.get(2).map_or(&[][..], Value::ints).iter().filter(|id| !ids.contains(id));
        ClaimedJob { job, attempt, delivery: run.board.deliver(job), passed: passed.map(|id| job_id(*id)).collect() }
    });
    claimed.collect()
}

/// An empty claim: says why, where the scenario asks for evidence.
async fn empty<E: Engine>(run: &Run<E>, who: Actor, session: &mut impl Session) -> Result<Claim, Halt> {
    let mut reason = EmptyReason::Unknown;
    if run.knobs().scenario.evidence {
        let look = run.execute(who, session, StatementId::LookAfterEmpty, &[]).await?;
        reason = reason_of(run.knobs().scenario.mode, look.rows.first().map_or(&[], Vec::as_slice));
    }
    run.tell(who, What::ClaimEmpty { reason });
    Ok(Claim::Empty(reason))
}

/// From the counts (was due, came due, later) of the look after an empty claim.
fn reason_of(mode: Mode, counts: &[Value]) -> EmptyReason {
    let count = |i: usize| counts.get(i).map_or(0, Value::int);
    // The others wait for a lock, fail at it or do not care: a job that they did not get was committed after their
    // snapshot, whenever its transaction began.
    let steps_over = matches!(mode, Mode::SkipLocked | Mode::Advisory | Mode::AdvisoryUnguarded);
    match (count(0), count(1), count(2)) {
        (1.., _, _) if steps_over => EmptyReason::AllLocked,
        (1.., _, _) | (_, 1.., _) => EmptyReason::ArrivedAfterSnapshot,
        (_, _, 1..) => EmptyReason::NotYetDue,
        _ => EmptyReason::QueueEmpty,
    }
}

fn job_id(id: i64) -> JobId {
    JobId(u32::try_from(id).unwrap_or(0))
}
