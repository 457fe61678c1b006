//! Everyone who is not a worker: producer, reaper, heartbeat, listener, bystander, umpire.

use super::board::Doing;
use super::race::{First, race};
use super::run::{Engine, Run};
use super::session::{Clock, Database, Listener, Session, Value};
use crate::event::{EmptyReason, EndReason, Refusal, What};
use crate::ids::{Actor, JobId, WorkerId};
use crate::scenario::fate::{arrivals, priority};
use crate::scenario::{Shape, WakeUp};
use crate::sql::StatementId;
use std::future::pending;

/// Puts the jobs on the queue as they arrive. A burst is one statement.
pub async fn producer<E: Engine>(run: &Run<E>) {
    if let Err(refusal) = produce(run).await {
        run.fail(&refusal);
    }
}

async fn produce<E: Engine>(run: &Run<E>) -> Result<(), Refusal> {
    let who = Actor::Producer;
    let knobs = run.knobs();
    let mut session = run.database.open(who).await?;
    run.tell(who, What::Connected { pid: session.pid() });
    let began = run.clock.now();
    let due: Vec<u64> =
        arrivals(&knobs.scenario).iter().map(|us| knobs.scenario.real_us(*us as f64 / 1000.0)).collect();
    let mut next = 0;
    while next < due.len() {
        let now = run.clock.now() - began;
        if due[next] > now {
            run.clock.sleep(due[next] - now).await;
            continue;
        }
        let count = due[next..].iter().take_while(|at| **at <= now).count();
        enqueue(run, &mut session, next, count).await?;
        next += count;
        run.board.stir();
    }
    run.board.all_produced();
    Ok(())
}

async fn enqueue<E: Engine>(
    run: &Run<E>,
    session: &mut impl Session,
    before: usize,
    count: usize,
) -> Result<(), Refusal> {
    let who = Actor::Producer;
    let knobs = run.knobs();
    let ids: Vec<i64> = (1..=count).map(|n| (before + n) as i64).collect();
    let first = JobId(ids[0] as u32);
    let classes: Vec<u32> = (first.0..).take(count).map(|id| priority(&knobs.scenario, JobId(id))).collect();
    let args = [
        Value::Ints(ids),
        Value::Ints(classes.iter().map(|class| i64::from(*class)).collect()),
        Value::Int(i64::from(knobs.scenario.max_attempts)),
    ];
    run.execute(who, session, StatementId::BeginEnqueue, &[]).await?;
    run.execute(who, session, StatementId::Enqueue, &args).await?;
    if knobs.scenario.wake_up != WakeUp::Poll {
        run.execute(who, session, StatementId::Notify, &[Value::Text(run.database.channel())]).await?;
    }
    run.execute(who, session, StatementId::Commit, &[]).await?;
    let priorities = if knobs.scenario.priorities > 1 { classes } else { Vec::new() };
    run.tell(who, What::Enqueued { first, count: count as u32, priorities });
    Ok(())
}

/// Returns jobs whose lease has run out, once a period.
pub async fn reaper<E: Engine>(run: &Run<E>) {
    if let Err(refusal) = reap(run).await {
        run.fail(&refusal);
    }
}

async fn reap<E: Engine>(run: &Run<E>) -> Result<(), Refusal> {
    let who = Actor::Reaper;
    let mut session = run.database.open(who).await?;
    run.tell(who, What::Connected { pid: session.pid() });
    loop {
        run.clock.sleep(run.us(run.knobs().scenario.reaper_period_ms)).await;
        let lease = i64::try_from(run.us(run.knobs().scenario.lease_ms)).unwrap_or(i64::MAX);
        let answer = match run.execute(who, &mut session, StatementId::Reap, &[Value::Int(lease)]).await {
            Err(refusal) if refusal.kind.may_pass() => continue,
            answer => answer?,
        };
        for row in &answer.rows {
            run.tell(
                who,
                What::Reaped {
                    job: JobId(row[0].int() as u32),
                    owner: row[1].text().and_then(WorkerId::from_name),
                    attempt: row[2].int() as u32,
                    age_us: u64::try_from(row[3].int()).unwrap_or(0),
                    dead: row[4].text() == Some("failed"),
                },
            );
            run.board.stir();
        }
    }
}

/// Extends the leases of the jobs in the hands of workers that still move.
pub async fn heartbeat<E: Engine>(run: &Run<E>) {
    if let Err(refusal) = beat(run).await {
        run.fail(&refusal);
    }
}

async fn beat<E: Engine>(run: &Run<E>) -> Result<(), Refusal> {
    let who = Actor::Heartbeat;
    let mut session = run.database.open(who).await?;
    run.tell(who, What::Connected { pid: session.pid() });
    loop {
        run.clock.sleep(run.us(run.knobs().scenario.heartbeat_period_ms)).await;
        let alive = run.board.alive();
        if alive.is_empty() {
            continue;
        }
        let args = [
            Value::Ints(alive.iter().map(|(_, job, _)| i64::from(job.0)).collect()),
            Value::Texts(alive.iter().map(|(worker, ..)| worker.name()).collect()),
            Value::Ints(alive.iter().map(|(.., attempt)| i64::from(*attempt)).collect()),
        ];
        let answer = match run.execute(who, &mut session, StatementId::Heartbeat, &args).await {
            Err(refusal) if refusal.kind.may_pass() => continue,
            answer => answer?,
        };
        let jobs = answer.rows.iter().map(|row| JobId(row[0].int() as u32)).collect();
        run.tell(who, What::Heartbeat { jobs });
    }
}

/// Wakes the sleeping workers at every NOTIFY.
pub async fn listener<E: Engine>(run: &Run<E>) {
    let mut subscription = match run.database.listen().await {
        Ok(subscription) => subscription,
        Err(refusal) => return run.fail(&refusal),
    };
    loop {
        match subscription.notified().await {
            Ok(()) => run.wake.ring(),
            Err(refusal) => return run.fail(&refusal),
        }
    }
}

/// Holds an old snapshot open for the whole run.
pub async fn bystander<E: Engine>(run: &Run<E>, holding: impl FnOnce()) {
    let who = Actor::Bystander;
    let hold = async {
        let mut session = run.database.open(who).await?;
        run.tell(who, What::Connected { pid: session.pid() });
        run.execute(who, &mut session, StatementId::BeginSnapshot, &[]).await?;
        run.execute(who, &mut session, StatementId::HoldSnapshot, &[]).await?;
        holding();
        pending::<Result<(), Refusal>>().await
    };
    if let Err(refusal) = hold.await {
        run.fail(&refusal);
    }
}

/// How often the umpire asks whether anything can still change, in µs.
const UMPIRE_PERIOD_US: u64 = 50_000;

/// How many quiet looks in a row it takes to call a run stuck.
const STUCK_LOOKS: u32 = 10;

/// Ends the run when nothing can change any more, or at its time limit, which holds even while the question itself waits
/// (for a person's LOCK TABLE, say).
pub async fn umpire<E: Engine>(run: &Run<E>) {
    let limit = u64::from(run.knobs().scenario.time_limit_ms) * 1000;
    match race(run.clock.sleep(limit.saturating_sub(run.clock.now())), judge(run)).await {
        First::Left(()) => run.end(EndReason::TimeLimit, ""),
        First::Right(Ok(())) => run.end(EndReason::Quiescent, ""),
        First::Right(Err(refusal)) => run.fail(&refusal),
    }
}

/// Returns when nothing can change any more.
async fn judge<E: Engine>(run: &Run<E>) -> Result<(), Refusal> {
    let mut session = run.database.open(Actor::Run).await?;
    let mut quiet = (0, 0);
    loop {
        run.clock.sleep(UMPIRE_PERIOD_US).await;
        let stirs = run.board.stirs();
        let Some(stuck) = at_rest(run, stirs) else {
            quiet = (stirs, 0);
            continue;
        };
        // A worker on its way to a free row looks like one that waits for a hung one, but it stirs the board soon.
        quiet = (stirs, if quiet.0 == stirs { quiet.1 + 1 } else { 0 });
        if stuck && quiet.1 < STUCK_LOOKS {
            continue;
        }
        let knobs = run.knobs();
        let statement = StatementId::Remaining;
        let call = super::session::Call { statement, text: knobs.statements.text(statement), args: &[] };
        let answer = session.execute(call).await?;
        let count = |i: usize| answer.rows.first().and_then(|row| row.get(i)).map_or(0, Value::int);
        let (claimable, processing) = (count(0), count(1));
        let rescued = processing > 0 && knobs.scenario.reaper;
        if (claimable == 0 || stuck) && !rescued && run.board.stirs() == stirs {
            return Ok(());
        }
    }
}

/// Whether everyone rests: `None` if someone still moves, else whether they rest although jobs may be claimable
/// (because hung transactions hold them, or because nobody will be notified again).
fn at_rest<E: Engine>(run: &Run<E>, stirs: u64) -> Option<bool> {
    if !run.board.is_all_produced() {
        return None;
    }
    let doing = run.board.doing();
    let knobs = run.knobs();
    let scenario = &knobs.scenario;
    let hung = doing.contains(&Doing::Hung);
    // A hung session ends by itself only under a timeout; a statement that waits behind it, too.
    let may_end = scenario.idle_in_transaction_timeout_ms > 0 || scenario.lock_timeout_ms > 0;
    let held_for_ever = hung && !may_end && scenario.shape == Shape::Hold;
    let mut all_stuck = true;
    for one in &doing {
        match one {
            Doing::Hung | Doing::Listening => {}
            Doing::Polling { found, looked_at } => {
                all_stuck &= held_for_ever && *found == EmptyReason::AllLocked && *looked_at == stirs;
            }
            // In its claim while hung transactions hold rows: it waits for one of them.
            Doing::Claiming if held_for_ever && scenario.mode == crate::scenario::Mode::ForUpdate => {}
            _ => return None,
        }
    }
    Some(all_stuck)
}
