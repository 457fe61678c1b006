//! now() stands still inside a transaction, clock_timestamp() does not.

use super::hand::Table;
use rowlock_shared::program::Value;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::sql::StatementId;

#[tokio::test]
async fn now_is_frozen_at_begin_and_clock_timestamp_goes_on() {
    let mut table = Table::new(Scenario::default(), 1).await;
    let hand = &mut table.watch;
    hand.tell("BEGIN").await;
    let moved = "SELECT (now() = transaction_timestamp() AND clock_timestamp() > statement_timestamp())::int::bigint";
    assert_eq!(hand.number(moved, &[]).await, 1);
    let us = |clock: &str| format!("SELECT (extract(epoch FROM {clock}) * 1000000)::bigint");
    let (frozen, first) = (hand.number(&us("now()"), &[]).await, hand.number(&us("clock_timestamp()"), &[]).await);
    let mut later = first;
    while later == first {
        later = hand.number(&us("clock_timestamp()"), &[]).await;
    }
    assert!(later > first && first > frozen);
    assert_eq!(hand.number(&us("now()"), &[]).await, frozen);
    hand.tell("COMMIT").await;
    assert!(hand.number(&us("now()"), &[]).await > frozen);
}

#[tokio::test]
async fn a_lease_measured_with_now_never_ends_and_the_reaper_s_does() {
    let mut table = Table::new(Scenario::default(), 1).await;
    let mut reaper = table.hand().await;
    reaper.tell("BEGIN").await;
    assert_eq!(reaper.number("SELECT count(*) FROM jobs WHERE status = 'processing'", &[]).await, 0);
    // Claimed after the reaper's BEGIN; the lease is zero, so that it is over at once.
    assert_eq!(table.hand().await.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    let wrong = "SELECT count(*) FROM jobs WHERE status = 'processing' AND processing_started_at < now()";
    assert_eq!(reaper.number(wrong, &[]).await, 0, "to a frozen clock the claim is in the future");
    let reaped = reaper.ask(&table.text(StatementId::Reap), &[Value::Int(0)]).await.expect("reaps");
    assert_eq!(reaped.ids(), [1]);
    reaper.tell("COMMIT").await;
    assert_eq!(table.job(1).await, ("queued".into(), 1));
}

#[tokio::test]
async fn a_job_that_came_after_begin_is_seen_but_not_due() {
    let mut table = Table::new(Scenario::default(), 0).await;
    let mut worker = table.hand().await;
    worker.tell("BEGIN").await;
    assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids(), Vec::<i64>::new());
    table.watch.tell("INSERT INTO jobs (id) VALUES (1)").await;
    assert_eq!(worker.number("SELECT count(*) FROM jobs WHERE status = 'queued'", &[]).await, 1);
    assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids(), Vec::<i64>::new(), "run_at <= now()");
    worker.tell("COMMIT").await;
    assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
}
