//! How a worker tells the database what became of a job, and how its transactions end.

use super::point::Point;
use super::run::{Engine, Run};
use super::session::{Session, Value};
use super::worker::{Halt, pass, pause};
use crate::event::{ClaimedJob, PauseReason, RefusalKind, What};
use crate::ids::{Actor, WorkerId};
use crate::scenario::Fence;
use crate::scenario::fate::{Fate, retry_delay_ms};
use crate::sql::StatementId;

/// How often an ack is tried when the database refuses it for reasons that pass.
const ACK_TRIES: u32 = 5;

pub(super) async fn settle_in_its_own_transaction<E: Engine>(
    run: &Run<E>,
    me: WorkerId,
    session: &mut impl Session,
    claimed: &ClaimedJob,
    ok: bool,
    fate: &Fate,
) -> Result<(), Halt> {
    let who = Actor::Worker(me);
    for _ in 0..ACK_TRIES {
        run.execute(who, session, StatementId::Begin, &[]).await?;
        match settle(run, me, session, claimed, ok, fate).await {
            Err(Halt::Lost(refusal)) if !refusal.kind.ends_session() => {
                run.fail_unless_it_passes(&refusal);
                rollback(run, who, session).await?;
                pause(run, who, PauseReason::Backoff, run.us(run.knobs().scenario.lock_error_backoff_ms)).await;
            }
            Err(halt) => return Err(halt),
            Ok(()) => match commit(run, who, session).await {
                Err(Halt::Lost(refusal)) if refusal.kind == RefusalKind::Serialization => {}
                done => {
                    run.board.put_down(me, claimed.job);
                    run.board.stir();
                    return done;
                }
            },
        }
    }
    // Given up: the job stays in processing, for the reaper.
    run.board.put_down(me, claimed.job);
    Ok(())
}

/// Ack, retry or dead letter: one statement, whose row count says whether the job still was ours.
pub(super) async fn settle<E: Engine>(
    run: &Run<E>,
    me: WorkerId,
    session: &mut impl Session,
    claimed: &ClaimedJob,
    ok: bool,
    fate: &Fate,
) -> Result<(), Halt> {
    let who = Actor::Worker(me);
    let ClaimedJob { job, attempt, .. } = *claimed;
    let knobs = run.knobs();
    let scenario = &knobs.scenario;
    let mut args = vec![Value::Int(i64::from(job.0))];
    let (statement, done) = if ok {
        (StatementId::Ack, What::Acked { job })
    } else if scenario.dead_letter && attempt >= scenario.max_attempts {
        (StatementId::DeadLetter, What::DeadLettered { job, attempt })
    } else {
        let delay_us = scenario.real_us(retry_delay_ms(scenario, job, attempt));
        args.push(Value::Int(i64::try_from(delay_us).unwrap_or(i64::MAX)));
        (StatementId::Requeue, What::Requeued { job, attempt, delay_us })
    };
    if scenario.fence != Fence::Off {
        args.push(Value::Text(me.name()));
    }
    if scenario.fence == Fence::OwnerAttempt {
        args.push(Value::Int(i64::from(attempt)));
    }
    let answer = run.execute(who, session, statement, &args).await?;
    run.tell(who, if answer.affected == 0 { What::StaleAck { job } } else { done });
    pass(run, who, Point::AfterAck, Some(fate)).await
}

pub(super) async fn commit<E: Engine>(run: &Run<E>, who: Actor, session: &mut impl Session) -> Result<(), Halt> {
    match run.execute(who, session, StatementId::Commit, &[]).await {
        Ok(_) => {
            run.tell(who, What::Committed);
            Ok(())
        }
        Err(refusal) => {
            // A COMMIT that fails (SERIALIZABLE) has rolled back.
            run.tell(who, What::RolledBack);
            Err(Halt::Lost(refusal))
        }
    }
}

pub(super) async fn rollback<E: Engine>(run: &Run<E>, who: Actor, session: &mut impl Session) -> Result<(), Halt> {
    run.execute(who, session, StatementId::Rollback, &[]).await?;
    run.tell(who, What::RolledBack);
    Ok(())
}
