//! A worker: poll, claim, work, acknowledge; and what becomes of it when it crashes, hangs or loses its session.

use super::board::Doing;
use super::claim::{Claim, claim};
use super::point::Point;
use super::race::{First, race};
use super::run::{Engine, Run};
use super::session::{Clock, Database, Passage, Points, Session, Value};
use super::settle::{commit, rollback, settle, settle_in_its_own_transaction};
use crate::event::{Cause, ClaimedJob, PauseReason, Refusal, What};
use crate::ids::{Actor, WorkerId};
use crate::scenario::fate::{Fate, Outcome, crashes_before_claim, fate};
use crate::scenario::{CrashMethod, Shape, SleepAfter, WakeUp};
use crate::sql::StatementId;
use std::future::pending;

/// Why a worker's life ends before the run does.
#[derive(Debug)]
pub(super) enum Halt {
    /// It crashes here.
    Crash(Point),
    /// Its session is gone; the process lives on and connects again.
    Lost(Refusal),
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Halt {
        Halt::Lost(refusal)
    }
}

/// The effects of a job, in the order in which they happen.
pub const EFFECTS: [&str; 3] = ["mail", "cashback", "analytics"];

/// A worker's whole life, restarts included. Returns only when the run is over for it.
pub async fn worker<E: Engine>(run: &Run<E>, me: WorkerId) {
    let who = Actor::Worker(me);
    loop {
        let mut session = match run.database.open(who).await {
            Ok(session) => session,
            Err(refusal) => return run.fail(&refusal),
        };
        let pid = session.pid();
        run.tell(who, What::Connected { pid });
        // A mail that is on its way cannot be called back: a kill takes hold once it is out, so that the ledger and the
        // events agree.
        let killed = async {
            run.points.killed(who).await;
            run.board.nothing_on_its_way(me).await;
        };
        // A kill drops the rounds wherever they stand, a statement in flight included. The session is dropped below,
        // without a word: what the server then does with an orphaned statement is its own affair.
        let end = match race(killed, rounds(run, me, &mut session)).await {
            First::Left(()) => Halt::Crash(Point::Anywhere),
            First::Right(halt) => halt,
        };
        drop(session);
        let jobs = run.board.drop_all(me);
        run.board.note(me, Doing::Down);
        match end {
            Halt::Crash(point) => {
                run.tell(who, What::Crashed { point, jobs });
                if run.knobs().scenario.crash_method == CrashMethod::TerminateBackend
                    && let Err(refusal) = run.database.terminate(pid).await
                {
                    return run.fail(&refusal);
                }
                run.clock.sleep(run.us(run.knobs().scenario.restart_delay_ms)).await;
                run.tell(who, What::Restarted);
            }
            Halt::Lost(refusal) => run.tell(who, What::SessionLost { refusal }),
        }
        run.board.stir();
    }
}

/// Round after round, until something ends the worker.
async fn rounds<E: Engine>(run: &Run<E>, me: WorkerId, session: &mut impl Session) -> Halt {
    let mut poll = 0;
    loop {
        poll += 1;
        if let Err(halt) = round(run, me, session, poll).await {
            return halt;
        }
    }
}

async fn round<E: Engine>(run: &Run<E>, me: WorkerId, session: &mut impl Session, poll: u32) -> Result<(), Halt> {
    let who = Actor::Worker(me);
    let (looked_at, heard) = (run.board.stirs(), run.wake.count());
    run.board.note(me, Doing::Claiming);
    run.tell(who, What::PollBegan { poll });
    pass(run, who, Point::BeforeClaim, None).await?;
    if crashes_before_claim(&run.knobs().scenario, me, poll) {
        return Err(Halt::Crash(Point::BeforeClaim));
    }
    match claim(run, me, session).await? {
        Claim::Jobs(jobs) => {
            match in_hand(run, me, session, &jobs).await {
                // The transaction that held the work is rolled back, and the work is lost; the session is not.
                Err(Halt::Lost(refusal)) if !refusal.kind.ends_session() => {
                    run.fail_unless_it_passes(&refusal);
                    run.board.drop_all(me);
                    run.board.stir();
                    pause(run, who, PauseReason::Backoff, run.us(run.knobs().scenario.lock_error_backoff_ms)).await;
                    return Ok(());
                }
                done => done?,
            }
            for job in &jobs {
                run.board.put_down(me, job.job);
            }
            run.board.stir();
            if run.knobs().scenario.sleep_after == SleepAfter::Every {
                pause(run, who, PauseReason::Poll, run.us(run.knobs().scenario.poll_interval_ms)).await;
            }
        }
        Claim::Empty(found) => {
            let wake_up = run.knobs().scenario.wake_up;
            let interval = run.us(run.knobs().scenario.poll_interval_ms);
            match wake_up {
                WakeUp::Poll => {
                    run.board.note(me, Doing::Polling { found, looked_at });
                    pause(run, who, PauseReason::Poll, interval).await;
                }
                WakeUp::Notify => {
                    run.board.note(me, Doing::Listening);
                    run.tell(who, What::PauseBegan { reason: PauseReason::Notify, us: 0 });
                    run.wake.after(heard).await;
                }
                WakeUp::Both => {
                    run.board.note(me, Doing::Polling { found, looked_at });
                    run.tell(who, What::PauseBegan { reason: PauseReason::Notify, us: interval });
                    race(run.wake.after(heard), run.clock.sleep(interval)).await;
                }
            }
        }
        Claim::RaceLost => {}
        Claim::Refused => {
            pause(run, who, PauseReason::Backoff, run.us(run.knobs().scenario.lock_error_backoff_ms)).await;
        }
    }
    Ok(())
}

/// The work on all jobs of a claim; with work held in the transaction, its COMMIT too. When the database refuses
/// something and the session lives on, no transaction is open afterwards.
async fn in_hand<E: Engine>(
    run: &Run<E>,
    me: WorkerId,
    session: &mut impl Session,
    jobs: &[ClaimedJob],
) -> Result<(), Halt> {
    let who = Actor::Worker(me);
    for job in jobs {
        match work(run, me, session, job).await {
            Err(Halt::Lost(refusal)) if !refusal.kind.ends_session() => {
                rollback(run, who, session).await?;
                return Err(Halt::Lost(refusal));
            }
            done => done?,
        }
    }
    match run.knobs().scenario.shape {
        Shape::Hold => commit(run, who, session).await,
        Shape::ClaimCommit => Ok(()),
    }
}

pub(super) async fn pause<E: Engine>(run: &Run<E>, who: Actor, reason: PauseReason, us: u64) {
    run.tell(who, What::PauseBegan { reason, us });
    run.clock.sleep(us).await;
}

/// Stands at a point: the outside may hold or crash the worker there, then the job's own fate may.
pub(super) async fn pass<E: Engine>(run: &Run<E>, who: Actor, point: Point, fate: Option<&Fate>) -> Result<(), Halt> {
    if run.points.reached(who, point).await == Passage::Crash {
        return Err(Halt::Crash(point));
    }
    match fate.map(|fate| fate.outcome) {
        Some(Outcome::Crash(crash)) if point.is(crash) => Err(Halt::Crash(point)),
        _ => Ok(()),
    }
}

/// One job in hand: the work, its effects, and the word to the database.
async fn work<E: Engine>(
    run: &Run<E>,
    me: WorkerId,
    session: &mut impl Session,
    claimed: &ClaimedJob,
) -> Result<(), Halt> {
    let who = Actor::Worker(me);
    let ClaimedJob { job, attempt, delivery, .. } = *claimed;
    let fate = fate(&run.knobs().scenario, job, delivery);
    pass(run, who, Point::BeforeWork, Some(&fate)).await?;
    let us = run.knobs().scenario.real_us(fate.work_ms);
    run.tell(who, What::WorkBegan { job, attempt, delivery, us });
    if us > 0 {
        run.clock.sleep(us / 2).await;
    }
    pass(run, who, Point::InWork, Some(&fate)).await?;
    if fate.outcome == Outcome::Hang {
        run.board.note(me, Doing::Hung);
        run.tell(who, What::Hung { job });
        pending::<()>().await;
    }
    if us > 0 {
        run.clock.sleep(us - us / 2).await;
    }
    let ok = fate.outcome != Outcome::Fail;
    run.tell(who, What::WorkEnded { job, delivery, ok });
    if ok {
        effects(run, me, claimed).await?;
    }
    pass(run, who, Point::AfterEffect, Some(&fate)).await?;
    match run.knobs().scenario.shape {
        Shape::Hold => settle(run, me, session, claimed, ok, &fate).await?,
        Shape::ClaimCommit => settle_in_its_own_transaction(run, me, session, claimed, ok, &fate).await?,
    }
    Ok(())
}

/// The effects leave through another connection and commit on their own: the outside world knows no rollback.
async fn effects<E: Engine>(run: &Run<E>, me: WorkerId, claimed: &ClaimedJob) -> Result<(), Halt> {
    let ClaimedJob { job, attempt, delivery, .. } = *claimed;
    let knobs = run.knobs();
    for (number, kind) in (0..).zip(EFFECTS).take(knobs.scenario.effects as usize) {
        let key = match knobs.scenario.idempotency_key {
            true => Value::Text(format!("{kind}-{job}")),
            false => Value::Null,
        };
        let args = [
            Value::Int(i64::from(job.0)),
            Value::Text(kind.to_owned()),
            Value::Text(me.name()),
            Value::Int(i64::from(attempt)),
            Value::Int(i64::from(delivery)),
            key,
        ];
        let statement = StatementId::Effect;
        let call = super::session::Call { statement, text: knobs.statements.text(statement), args: &args };
        run.board.send(me, true);
        let answer = match run.database.outside().await {
            Ok(mut session) => session.execute(call).await,
            Err(refusal) => Err(refusal),
        };
        let effect = kind.to_owned();
        match answer {
            Err(refusal) => {
                // Without the ledger nothing true can be said about effects.
                run.board.send(me, false);
                run.fail(&refusal);
                return Err(Halt::Lost(refusal));
            }
            Ok(answer) if answer.rows.is_empty() => {
                run.tell(Actor::Worker(me), What::EffectSuppressed { job, effect, delivery });
            }
            Ok(_) => {
                let repeats = run.board.effect(job, number, Cause { worker: me, delivery });
                run.tell(Actor::Worker(me), What::Effect { job, effect, delivery, repeats });
            }
        }
        run.board.send(me, false);
    }
    Ok(())
}
