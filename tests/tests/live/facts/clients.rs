//! What a backend does when its client is gone: at once if it is idle, not before its statement ends if it waits.

use super::hand::Table;
use crate::server::{next_run, start};
use rowlock_shared::event::What;
use rowlock_shared::program::Value;
use rowlock_shared::scenario::{Mode, Scenario};
use rowlock_shared::wire::Intervention;

const DONE: &str = "UPDATE jobs SET status = 'done' WHERE id = 1";

/// A table, a session that holds row 1, and the process id of a backend that waits for it with its client gone.
async fn orphan(settings: &str, statements: &[&str]) -> (Table, super::hand::Hand, i32) {
    let mut table = Table::new(Scenario::default(), 2).await;
    let mut holder = table.hand().await;
    holder.tell("BEGIN").await;
    holder.tell("SELECT id FROM jobs WHERE id = 1 FOR UPDATE").await;
    let mut client = table.hand().await;
    client.tell(settings).await;
    let (last, before) = statements.split_last().expect("a statement");
    for statement in before {
        client.tell(statement).await;
    }
    let pending = client.start(*last, Vec::new());
    let pid = pending.pid;
    table.wait_behind(pid, &[holder.pid]).await;
    pending.die().await;
    (table, holder, pid)
}

#[tokio::test]
async fn an_idle_transaction_of_a_dropped_client_rolls_back_at_once() {
    let mut table = Table::new(Scenario::default(), 1).await;
    let mut client = table.hand().await;
    client.tell("BEGIN").await;
    client.tell(DONE).await;
    let pid = client.pid;
    drop(client);
    table.gone(pid).await;
    assert_eq!(table.job(1).await, ("queued".into(), 0));
    assert_eq!(table.hand().await.claim(&table, "worker-A").await.expect("the lock is gone").ids(), [1]);
}

#[tokio::test]
async fn a_waiting_backend_does_not_notice_and_in_autocommit_it_commits() {
    let (mut table, mut holder, orphan) = orphan("SELECT 1", &[DONE]).await;
    // Time enough for the server to notice: an idle client that is dropped later is gone before.
    let idle = table.hand().await;
    let pid = idle.pid;
    drop(idle);
    table.gone(pid).await;
    assert!(table.waits(orphan).await, "it still waits");
    assert_eq!(table.job(1).await.0, "queued");
    holder.tell("COMMIT").await;
    table.gone(orphan).await;
    assert_eq!(table.job(1).await.0, "done", "nobody was there to hear of it, and it committed");
}

#[tokio::test]
async fn in_an_open_transaction_the_orphaned_statement_runs_and_is_rolled_back() {
    let (mut table, mut holder, orphan) = orphan("SELECT 1", &["BEGIN", DONE]).await;
    assert!(table.waits(orphan).await);
    holder.tell("COMMIT").await;
    table.gone(orphan).await;
    assert_eq!(table.job(1).await.0, "queued");
}

#[tokio::test]
async fn pg_terminate_backend_cures_an_orphan_that_waits() {
    let (mut table, mut holder, orphan) = orphan("SELECT 1", &[DONE]).await;
    let terminate = "SELECT pg_terminate_backend($1::int)::int::bigint";
    assert_eq!(table.watch.number(terminate, &[Value::Int(orphan.into())]).await, 1);
    // The lock that it waits for is still held.
    table.gone(orphan).await;
    holder.tell("COMMIT").await;
    assert_eq!(table.job(1).await.0, "queued");
}

#[tokio::test]
async fn client_connection_check_interval_cures_an_orphan_that_waits() {
    let (mut table, mut holder, orphan) = orphan("SET client_connection_check_interval = '20ms'", &[DONE]).await;
    table.gone(orphan).await;
    holder.tell("COMMIT").await;
    assert_eq!(table.job(1).await.0, "queued");
}

#[tokio::test]
async fn the_run_s_knob_makes_the_server_look_after_its_clients() {
    let mut going = start(Scenario {
        mode: Mode::ForUpdate,
        jobs: 2,
        workers: 2,
        work_ms: 600_000,
        restart_delay_ms: 600_000,
        client_connection_check_ms: 20,
        // Longer than this test's patience: the end of a run ends its backends too.
        time_limit_ms: 600_000,
        ..Scenario::default()
    })
    .await;
    going.until("a wait", |world, _| world.waiting() == 1).await;
    let waiter = going.events.last().expect("an event").who.worker().expect("a worker waits");
    let pid = going.world.worker(waiter).and_then(|worker| worker.session.pid).expect("it is connected");
    going.run.intervene(Intervention::Crash { worker: waiter });
    going.until("the crash", |_, event| matches!(event.what, What::Crashed { .. })).await;
    // The holder is still at work when the orphan is gone.
    let mut table = Table::new(Scenario::default(), 0).await;
    table.gone(pid).await;
    assert_eq!(going.world.summary().done, 0);
    going.run.stop();
    going.end().await;
}

#[tokio::test]
async fn a_busy_transaction_is_not_touched_by_the_idle_timeout() {
    let mut table = Table::new(Scenario::default(), 2).await;
    let mut holder = table.hand().await;
    holder.tell("BEGIN").await;
    holder.tell("SELECT id FROM jobs WHERE id = 1 FOR UPDATE").await;
    let name = format!("busy {}", next_run());
    let mut busy = table.hand().await;
    busy.tell(&format!("SET idle_in_transaction_session_timeout = '30ms'; SET application_name = '{name}'")).await;
    busy.tell("BEGIN").await;
    let busy = busy.start(DONE, Vec::new());
    table.wait_behind(busy.pid, &[holder.pid]).await;
    let long = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'
                AND clock_timestamp() - query_start > interval '120 ms'";
    table.until(long, &[Value::Text(name)], 1).await;
    holder.tell("COMMIT").await;
    let (busy, answer) = busy.answer().await;
    assert_eq!(answer.affected, 1);
    // Now it is idle in its transaction, and the server ends it.
    table.gone(busy.pid).await;
    assert_eq!(table.job(1).await.0, "queued");
}
