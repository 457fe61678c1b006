//! SKIP LOCKED answers with nothing, NOWAIT with an error, and a timeout's error is told from NOWAIT's.

use super::hand::{Refused, Table};
use crate::server::start;
use rowlock_shared::event::{RefusalKind, What};
use rowlock_shared::program::{Point, Value};
use rowlock_shared::scenario::{Mode, Scenario};
use rowlock_shared::wire::Intervention;

/// The routines of PostgreSQL 14 to 18 that raise 55P03.
const OF_NOWAIT: &str = "heap_lock_tuple";
const OF_NOWAIT_BEHIND_A_WAITER: &str = "heap_acquire_tuplock";
const OF_TIMEOUT: &str = "ProcessInterrupts";

fn in_mode(mode: Mode) -> Scenario {
    Scenario { mode, ..Scenario::default() }
}

#[tokio::test]
async fn skip_locked_with_every_row_locked_returns_nothing_while_jobs_are_pending() {
    let mut table = Table::new(in_mode(Mode::SkipLocked), 3).await;
    let mut holder = table.hand().await;
    holder.tell("BEGIN").await;
    holder.tell("SELECT id FROM jobs FOR UPDATE").await;
    let mut worker = table.hand().await;
    let answer = worker.claim(&table, "worker-A").await.expect("no error, no wait");
    assert_eq!(answer.ids(), Vec::<i64>::new());
    assert_eq!(table.watch.number("SELECT count(*) FROM jobs WHERE status = 'queued'", &[]).await, 3);
    holder.tell("ROLLBACK").await;
    assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
}

#[tokio::test]
async fn nowait_fails_at_the_first_locked_row_however_many_are_free() {
    let table = Table::new(in_mode(Mode::Nowait), 50).await;
    let mut holder = table.hand().await;
    holder.tell("BEGIN").await;
    assert_eq!(holder.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    let mut worker = table.hand().await;
    worker.tell("BEGIN").await;
    let refused = worker.claim(&table, "worker-B").await.expect_err("row 1 is locked");
    assert_eq!(refused, Refused { sqlstate: "55P03".into(), routine: OF_NOWAIT.into() });
    // The transaction is aborted: only a ROLLBACK helps.
    let refused = worker.ask("SELECT 1::bigint", &[]).await.expect_err("aborted");
    assert_eq!(refused.sqlstate, "25P02");
    worker.tell("ROLLBACK").await;
    assert_eq!(worker.number("SELECT count(*) FROM jobs WHERE status = 'queued'", &[]).await, 50);
    // A locked row behind the one that is taken does no harm.
    holder.tell("ROLLBACK").await;
    holder.tell("BEGIN").await;
    holder.tell("SELECT id FROM jobs WHERE id = 2 FOR UPDATE").await;
    assert_eq!(worker.claim(&table, "worker-B").await.expect("row 1 is free").ids(), [1]);
    assert_eq!(worker.claim(&table, "worker-B").await.expect_err("row 2 is not").sqlstate, "55P03");
}

#[tokio::test]
async fn lock_timeout_is_told_from_nowait_by_the_routine() {
    let mut table = Table::new(in_mode(Mode::Nowait), 1).await;
    let mut holder = table.hand().await;
    holder.tell("BEGIN").await;
    holder.tell("SELECT id FROM jobs FOR UPDATE").await;
    let mut waiter = table.hand().await;
    waiter.tell("SET lock_timeout = '1min'").await;
    let waiter = waiter.start("SELECT id FROM jobs WHERE id = 1 FOR UPDATE", Vec::new());
    table.wait_of(waiter.pid).await;

    // Somebody waits already and holds the tuple lock: NOWAIT fails at that, in another routine.
    let mut worker = table.hand().await;
    let refused = worker.claim(&table, "worker-A").await.expect_err("locked");
    assert_eq!(refused, Refused { sqlstate: "55P03".into(), routine: OF_NOWAIT_BEHIND_A_WAITER.into() });
    worker.tell("SET lock_timeout = '20ms'").await;
    let refused = worker.ask("SELECT id FROM jobs WHERE id = 1 FOR UPDATE", &[]).await.expect_err("times out");
    assert_eq!(refused, Refused { sqlstate: "55P03".into(), routine: OF_TIMEOUT.into() });

    // Cancelled by a person, the same wait is 57014, from the same routine: the SQLSTATE alone tells that one.
    table.watch.number("SELECT pg_cancel_backend($1::int)::int::bigint", &[Value::Int(waiter.pid.into())]).await;
    let refused = waiter.end().await.1.expect_err("cancelled");
    assert_eq!(refused, Refused { sqlstate: "57014".into(), routine: OF_TIMEOUT.into() });
}

#[tokio::test]
async fn the_run_calls_nowait_by_its_name_even_behind_a_waiting_stranger() {
    let mut going = start(Scenario { jobs: 2, workers: 2, work_ms: 0, ..in_mode(Mode::Nowait) }).await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::InWork });
    let routine = |wanted: &'static str| {
        move |_: &_, event: &rowlock_shared::event::Event| match &event.what {
            What::Returned { refusal: Some(refusal), .. } => {
                refusal.kind == RefusalKind::Nowait
                    && refusal.sqlstate.as_deref() == Some("55P03")
                    && refusal.routine.as_deref() == Some(wanted)
            }
            _ => false,
        }
    };
    going.until("a refusal", routine(OF_NOWAIT)).await;
    let mut stranger = going.stranger().await;
    let waits = tokio::spawn(async move {
        let _ = sqlx::query("SELECT id FROM jobs WHERE id = 1 FOR SHARE").fetch_one(&mut stranger).await;
    });
    going.until("a refusal behind the stranger", routine(OF_NOWAIT_BEHIND_A_WAITER)).await;
    going.run.intervene(Intervention::Clear { worker: None, point: Point::InWork });
    going.end().await;
    waits.await.expect("no panic");
    assert_eq!(going.world.summary().done, 2);
    assert_eq!(going.world.counters.refused(RefusalKind::LockTimeout), 0);
}
