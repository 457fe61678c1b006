//! C27: a killed client frees its row at once, a hung one keeps it until somebody ends it.

use super::{claims, go_on, standing, stop_at};
use crate::facts::hand::Table;
use crate::server::{Going, start};
use rowlock_shared::event::{EmptyReason, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::program::{Point, Value};
use rowlock_shared::scenario::Scenario;
use rowlock_shared::wire::Intervention;

/// One job, two workers, and work held in the transaction.
fn held() -> Scenario {
    let ms = 600_000;
    Scenario { jobs: 1, workers: 2, work_ms: 0, poll_interval_ms: 5, restart_delay_ms: ms, ..Scenario::default() }
}

fn owner(going: &Going) -> WorkerId {
    let claim = going.events.iter().find(|event| matches!(event.what, What::Claimed { .. })).expect("a claim");
    claim.who.worker().expect("a worker's")
}

/// Until the other worker has found the job locked, more than once.
async fn found_locked(going: &mut Going, other: WorkerId) {
    for _ in 0..5 {
        let locked = What::ClaimEmpty { reason: EmptyReason::AllLocked };
        going.until("all locked", |_, event| event.who == Actor::Worker(other) && event.what == locked).await;
    }
}

async fn claimed_by(going: &mut Going, other: WorkerId) {
    let claimed = |event: &rowlock_shared::event::Event| matches!(event.what, What::Claimed { .. });
    going.until("the other's claim", |_, event| event.who == Actor::Worker(other) && claimed(event)).await;
    assert_eq!(claims(going), [(JobId(1), 1), (JobId(1), 1)], "rolled back: the first attempt never was");
}

#[tokio::test]
async fn c27_a_killed_client_s_row_is_free_at_once() {
    let mut going = start(held()).await;
    stop_at(&going, Point::InWork);
    going.until("one at work", |world, _| standing(world, Point::InWork) == 1).await;
    let (first, other) = (owner(&going), WorkerId(3 - owner(&going).0));
    found_locked(&mut going, other).await;
    going.run.intervene(Intervention::Crash { worker: first });
    claimed_by(&mut going, other).await;
    go_on(&going, Point::InWork);
    going.until("the ack", |world, _| world.summary().done == 1).await;
    going.run.stop();
    going.end().await;
}

#[tokio::test]
async fn c27_a_hung_client_keeps_its_row_until_its_backend_is_ended() {
    // A timeout that is not met: without one the run would end by itself, since everyone is stuck for ever.
    let scenario = Scenario { hang_probability: 1.0, idle_in_transaction_timeout_ms: 600_000, ..held() };
    let mut going = start(scenario).await;
    going.until("the hang", |_, event| matches!(event.what, What::Hung { .. })).await;
    let (first, other) = (owner(&going), WorkerId(3 - owner(&going).0));
    found_locked(&mut going, other).await;
    let pid = going.world.worker(first).and_then(|worker| worker.session.pid).expect("connected");
    let mut table = Table::new(held(), 0).await;
    let terminate = "SELECT pg_terminate_backend($1::int)::int::bigint";
    assert_eq!(table.watch.number(terminate, &[Value::Int(pid.into())]).await, 1);
    claimed_by(&mut going, other).await;
    going.run.stop();
    going.end().await;
}

#[tokio::test]
async fn c27_the_idle_timeout_ends_a_hung_client_that_had_it_from_the_start() {
    let scenario = Scenario { hang_probability: 1.0, idle_in_transaction_timeout_ms: 200, ..held() };
    let mut going = start(scenario).await;
    going.until("the hang", |_, event| matches!(event.what, What::Hung { .. })).await;
    let other = WorkerId(3 - owner(&going).0);
    claimed_by(&mut going, other).await;
    going.run.stop();
    going.end().await;
}

#[tokio::test]
async fn c27_the_idle_timeout_does_nothing_for_a_session_that_was_idle_before_it_was_set() {
    // In a database of its own, whose default it is for sessions that come later.
    let mut table = Table::alone(held(), 2).await;
    let mut early = table.hand().await;
    early.tell("BEGIN").await;
    early.tell("SELECT id FROM jobs WHERE id = 1 FOR UPDATE").await;
    table.watch.tell("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''50ms''', current_database()); END $$").await;
    let mut late = table.hand().await;
    late.tell("BEGIN").await;
    late.tell("SELECT id FROM jobs WHERE id = 2 FOR UPDATE").await;
    table.gone(late.pid).await;
    // The late one came and went; the early one still holds its row.
    let refused = table.watch.ask("SELECT id FROM jobs WHERE id = 1 FOR UPDATE NOWAIT", &[]).await;
    assert_eq!(refused.expect_err("locked").sqlstate, "55P03");
    assert_eq!(
        table.watch.ask("SELECT id FROM jobs WHERE id = 2 FOR UPDATE NOWAIT", &[]).await.expect("free").ids(),
        [2]
    );
    early.tell("COMMIT").await;
}
