//! A LIMIT inside an IN is no limit when the planner runs the sub-select once for every outer row.

use super::hand::{Hand, Table};
use rowlock_shared::scenario::{Autovacuum, Scenario};

const IN: &str = "UPDATE jobs SET status = 'processing'
    WHERE id IN (SELECT id FROM jobs WHERE status = 'queued' LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id";

/// Jobs on the queue. All fit on one page, so that the planner still believes what the statistics say: one.
const JOBS: i64 = 30;

/// A queue whose statistics are from when it had one job.
async fn stale() -> Table {
    let scenario = Scenario { autovacuum: Autovacuum::Off, partial_index: false, ..Scenario::default() };
    let mut table = Table::new(scenario, 1).await;
    table.watch.tell("VACUUM (ANALYZE) jobs").await;
    table.watch.tell("INSERT INTO jobs (id) SELECT generate_series(2, 30)").await;
    assert_eq!(table.watch.number("SELECT count(*) FROM jobs", &[]).await, JOBS);
    table
}

async fn is_nested_loop(hand: &mut Hand, sql: &str) -> bool {
    let plan = hand.ask(&format!("EXPLAIN {sql}"), &[]).await.expect("explains");
    let lines: Vec<String> = plan.rows.iter().map(|row| sqlx::Row::get(row, 0)).collect();
    lines.iter().any(|line| line.contains("Nested Loop"))
}

#[tokio::test]
async fn in_with_limit_1_claims_the_whole_table_under_a_nested_loop() {
    let mut table = stale().await;
    let mut worker = table.hand().await;
    assert!(is_nested_loop(&mut worker, IN).await, "stale statistics make a nested loop look cheap");
    worker.tell("BEGIN").await;
    assert_eq!(worker.ask(IN, &[]).await.expect("claims").ids().len() as i64, JOBS, "LIMIT 1");
    worker.tell("ROLLBACK").await;

    // With fresh statistics the sub-select runs once: the fault passes every test until the table changes.
    table.watch.tell("VACUUM (ANALYZE) jobs").await;
    let mut worker = table.hand().await;
    assert!(!is_nested_loop(&mut worker, IN).await);
    assert_eq!(worker.ask(IN, &[]).await.expect("claims").ids().len(), 1);
}

#[tokio::test]
async fn the_cte_claims_one_row_under_the_same_statistics() {
    let table = stale().await;
    let mut worker = table.hand().await;
    worker.tell("BEGIN").await;
    assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    worker.tell("ROLLBACK").await;
    assert_eq!(worker.ask(IN, &[]).await.expect("claims").ids().len() as i64, JOBS, "and IN takes all");
}
