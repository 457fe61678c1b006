//! What a queue leaves behind in its table, and what an old snapshot keeps there.

use super::hand::{Hand, Table};
use crate::server::PATIENCE;
use rowlock_shared::program::Value;
use rowlock_shared::scenario::{Autovacuum, Scenario};
use rowlock_shared::sql::StatementId;
use std::time::Instant;

fn unvacuumed() -> Scenario {
    Scenario { autovacuum: Autovacuum::Off, batch: 100, ..Scenario::default() }
}

/// `n_tup_upd` and `n_tup_hot_upd`, once all updates of the table have been reported.
async fn updates(table: &mut Table, wanted: i64) -> i64 {
    let of = |column: &str| format!("SELECT {column} FROM pg_stat_user_tables WHERE relid = 'jobs'::regclass");
    table.until(&of("n_tup_upd"), &[], wanted).await;
    table.watch.number(&of("n_tup_hot_upd"), &[]).await
}

#[tokio::test]
async fn a_change_of_status_is_never_hot_and_a_heartbeat_is() {
    let mut table = Table::new(unvacuumed(), 10).await;
    // Ten rows, room on their page for a few versions of each: if an update could be HOT, it would be.
    let mut worker = table.hand().await;
    assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids().len(), 10);
    drop(worker);
    assert_eq!(updates(&mut table, 10).await, 0, "queued to processing");

    let mut worker = table.hand().await;
    let of_ten = |text: &str| Value::Texts(vec![text.into(); 10]);
    let args = [Value::Ints((1..=10).collect()), of_ten("worker-A"), Value::Ints(vec![1; 10])];
    assert_eq!(worker.ask(&table.text(StatementId::Heartbeat), &args).await.expect("beats").rows.len(), 10);
    drop(worker);
    assert_eq!(updates(&mut table, 20).await, 10, "every heartbeat");

    let mut worker = table.hand().await;
    let (ack, requeue) = (table.text(StatementId::Ack), table.text(StatementId::Requeue));
    for id in 1..=5 {
        worker.ask(&ack, &[Value::Int(id)]).await.expect("acks");
        worker.ask(&requeue, &[Value::Int(id + 5), Value::Int(0)]).await.expect("requeues");
    }
    drop(worker);
    assert_eq!(updates(&mut table, 30).await, 10, "processing to done, and back to queued: none");
}

#[tokio::test]
async fn leaving_the_queue_leaves_a_dead_entry_in_its_index_and_finishing_adds_none() {
    let mut table = Table::alone(unvacuumed(), 100).await;
    table.watch.tell("CREATE EXTENSION pgstattuple SCHEMA rowlock").await;
    // Nobody may remove or mark an entry while this snapshot lives.
    let mut bystander = table.hand().await;
    bystander.tell(&table.text(StatementId::BeginSnapshot)).await;
    bystander.tell(&table.text(StatementId::HoldSnapshot)).await;
    let entries = "SELECT tuple_count FROM pgstattuple('jobs_queued')";
    assert_eq!(table.watch.number(entries, &[]).await, 100);
    assert_eq!(table.watch.claim_all().await, 100);
    assert_eq!(table.watch.number(entries, &[]).await, 100, "all of them dead");
    table.watch.tell("UPDATE jobs SET status = 'done'").await;
    assert_eq!(table.watch.number(entries, &[]).await, 100, "processing to done");
    table.watch.tell("UPDATE jobs SET status = 'queued'").await;
    assert_eq!(table.watch.number(entries, &[]).await, 200, "a live one each, beside the dead");
}

/// Index and heap buffers that one poll touches.
async fn poll_cost(hand: &mut Hand) -> i64 {
    // The claim's sub-select, which is the part of it that looks for a job.
    let sql = "EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off, SUMMARY off, FORMAT json)
               SELECT id FROM jobs WHERE status = 'queued' AND run_at <= now() ORDER BY run_at, id LIMIT 1
               FOR UPDATE SKIP LOCKED";
    let plan = hand.ask(sql, &[]).await.expect("explains");
    let plan: serde_json::Value = sqlx::Row::get(plan.rows.first().expect("a plan"), 0);
    let text = plan.to_string();
    assert!(text.contains("\"jobs_queued\""), "the poll uses the partial index: {text}");
    let blocks = |name: &str| plan[0]["Plan"][name].as_i64().expect("a count of blocks");
    blocks("Shared Hit Blocks") + blocks("Shared Read Blocks")
}

/// Polls until a poll costs less than a third of `dear`, which takes one that marks what it meets as dead (or a few, if
/// an autovacuum worker has a snapshot in this database at the moment).
async fn becomes_cheap(hand: &mut Hand, dear: i64) -> i64 {
    let limit = Instant::now() + PATIENCE;
    loop {
        let cost = poll_cost(hand).await;
        if cost * 3 < dear {
            return cost;
        }
        assert!(Instant::now() < limit, "a poll still costs {cost} buffers");
    }
}

/// Vacuums until no dead row is left.
async fn becomes_clean(hand: &mut Hand) {
    let limit = Instant::now() + PATIENCE;
    loop {
        hand.tell("VACUUM jobs").await;
        let dead = hand.number(DEAD, &[]).await;
        if dead == 0 {
            return;
        }
        assert!(Instant::now() < limit, "{dead} dead rows stay");
    }
}

/// A table through which 3,000 jobs went, one left on the queue.
async fn used_table(snapshot: bool) -> (Table, Option<Hand>) {
    let mut table = Table::alone(unvacuumed(), 3_000).await;
    table.watch.tell("CREATE EXTENSION pgstattuple SCHEMA rowlock").await;
    table.watch.tell("INSERT INTO jobs (id, run_at) VALUES (3001, now() + interval '1 microsecond')").await;
    table.watch.tell("VACUUM (ANALYZE) jobs").await;
    table.watch.tell("SET enable_seqscan = off; SET enable_bitmapscan = off").await;
    let bystander = match snapshot {
        false => None,
        true => {
            let mut bystander = table.hand().await;
            bystander.tell(&table.text(StatementId::BeginSnapshot)).await;
            bystander.tell(&table.text(StatementId::HoldSnapshot)).await;
            Some(bystander)
        }
    };
    let mut worker = table.hand().await;
    for _ in 0..30 {
        assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids().len(), 100);
        worker
            .tell("UPDATE jobs SET status = 'done', finished_at = clock_timestamp() WHERE status = 'processing'")
            .await;
    }
    (table, bystander)
}

const DEAD: &str = "SELECT dead_tuple_count FROM pgstattuple('jobs')";

#[tokio::test]
async fn every_poll_visits_the_dead_entries_while_a_snapshot_is_held_and_vacuum_helps_only_after_it() {
    let (mut held, bystander) = used_table(true).await;
    poll_cost(&mut held.watch).await;
    // Whatever the first one could mark, it has marked.
    let with = poll_cost(&mut held.watch).await;
    let (mut free, _) = used_table(false).await;
    let without = becomes_cheap(&mut free.watch, with).await;

    let dead = held.watch.number(DEAD, &[]).await;
    assert!(dead >= 6_000, "two dead versions of each job: {dead}");
    held.watch.tell("VACUUM jobs").await;
    assert_eq!(held.watch.number(DEAD, &[]).await, dead, "VACUUM removed something while the snapshot lived");
    let vacuumed = poll_cost(&mut held.watch).await;
    assert!(vacuumed > 3 * without, "{vacuumed}: VACUUM made the poll no cheaper");

    let mut bystander = bystander.expect("a bystander");
    bystander.tell("ROLLBACK").await;
    // The first poll after it pays and marks, the next steps over.
    let marked = becomes_cheap(&mut held.watch, with).await;
    becomes_clean(&mut held.watch).await;
    let clean = poll_cost(&mut held.watch).await;
    assert!(clean <= marked && clean < 10, "{clean} buffers after VACUUM, {marked} before");
}

#[tokio::test]
async fn a_snapshot_held_in_another_schema_holds_back_vacuum_here() {
    let mut table = Table::alone(unvacuumed(), 50).await;
    table.watch.tell("CREATE EXTENSION pgstattuple SCHEMA rowlock").await;
    let neighbour = table.neighbour(1).await;
    let mut bystander = neighbour.hand().await;
    bystander.tell("BEGIN ISOLATION LEVEL REPEATABLE READ").await;
    assert_eq!(bystander.number("SELECT count(*) FROM jobs", &[]).await, 1, "it reads its own schema's table alone");
    assert_eq!(table.watch.claim_all().await, 50);
    table.watch.tell("VACUUM jobs").await;
    assert_eq!(table.watch.number(DEAD, &[]).await, 50);
    bystander.tell("COMMIT").await;
    becomes_clean(&mut table.watch).await;
}

impl Hand {
    /// Puts every job in processing: a change of status leaves a dead version of each.
    async fn claim_all(&mut self) -> u64 {
        self.tell("UPDATE jobs SET status = 'processing'").await
    }
}
