//! What a claim says about the rows that it passed over, and what is said of a claim that brought nothing.

use super::hand::Table;
use crate::server::{Going, finish, start};
use rowlock_shared::event::{EmptyReason, Event, What};
use rowlock_shared::ids::JobId;
use rowlock_shared::program::Point;
use rowlock_shared::scenario::{Backoff, Mode, Order, Scenario, Shape};
use rowlock_shared::wire::Intervention;

async fn locks(table: &Table, ids: &str) -> super::hand::Hand {
    let mut holder = table.hand().await;
    holder.tell("BEGIN").await;
    holder.tell(&format!("SELECT id FROM jobs WHERE id IN ({ids}) FOR UPDATE")).await;
    holder
}

#[tokio::test]
async fn the_evidence_clause_lists_exactly_the_rows_that_were_skipped() {
    let mut table = Table::new(Scenario::default(), 8).await;
    table.watch.tell("UPDATE jobs SET status = 'done' WHERE id = 1").await;
    table.watch.tell("UPDATE jobs SET run_at = now() + interval '1 day' WHERE id = 2").await;
    table.watch.tell("UPDATE jobs SET run_at = run_at - interval '1 hour' WHERE id IN (7, 8)").await;
    // The queue is now 7, 8, 3, 4, 5, 6: job 1 is done, job 2 not due.
    let holders = [locks(&table, "1, 2, 7").await, locks(&table, "3, 6").await];
    let mut worker = table.hand().await;
    worker.tell("BEGIN").await;
    let first = worker.claim(&table, "worker-A").await.expect("claims");
    assert_eq!((first.ids(), first.passed(0)), (vec![8], vec![7]));
    let second = worker.claim(&table, "worker-A").await.expect("claims");
    assert_eq!(
        (second.ids(), second.passed(0)),
        (vec![4], vec![7, 3]),
        "not 8, which is its own; not 6, which is behind"
    );
    let third = worker.claim(&table, "worker-A").await.expect("claims");
    assert_eq!((third.ids(), third.passed(0)), (vec![5], vec![7, 3]));
    let empty = worker.claim(&table, "worker-A").await.expect("no error");
    assert!(empty.rows.is_empty(), "an empty claim has no row to say anything with");
    drop(holders);
}

#[tokio::test]
async fn ahead_means_ahead_in_the_claim_s_own_order() {
    let scenario = Scenario { order: Order::PriorityRunAtId, ..Scenario::default() };
    let mut table = Table::new(scenario, 5).await;
    table.watch.tell("UPDATE jobs SET priority = 10 - id").await;
    let _holder = locks(&table, "5, 3, 1").await;
    let mut worker = table.hand().await;
    let first = worker.claim(&table, "worker-A").await.expect("claims");
    assert_eq!((first.ids(), first.passed(0)), (vec![4], vec![5]));
    let second = worker.claim(&table, "worker-A").await.expect("claims");
    assert_eq!((second.ids(), second.passed(0)), (vec![2], vec![5, 3]));
}

#[tokio::test]
async fn the_evidence_clause_lists_exactly_the_rows_that_had_changed() {
    let mut table = Table::new(Scenario { mode: Mode::ForUpdate, ..Scenario::default() }, 4).await;
    let (mut a, mut b) = (table.hand().await, table.hand().await);
    a.tell("BEGIN").await;
    a.tell("UPDATE jobs SET status = 'processing' WHERE id IN (1, 2)").await;
    b.tell("BEGIN").await;
    let b = b.start_claim(&table, "worker-B");
    table.wait_behind(b.pid, &[a.pid]).await;
    a.tell("COMMIT").await;
    let (_b, answer) = b.answer().await;
    assert_eq!((answer.ids(), answer.passed(0)), (vec![3], vec![1, 2]));
}

#[tokio::test]
async fn the_run_counts_the_skipped_rows_and_leaves_a_batch_s_own_rows_out() {
    let mut going = start(Scenario { batch: 2, jobs: 6, workers: 2, work_ms: 0, ..Scenario::default() }).await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::AfterClaim });
    let standing = |world: &rowlock_shared::world::World| {
        world.workers.iter().filter(|worker| worker.session.paused_at == Some(Point::AfterClaim)).count()
    };
    going.until("two claims", |world, _| standing(world) == 2).await;
    let claims: Vec<Vec<(JobId, Vec<JobId>)>> = going
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::Claimed { jobs } => Some(jobs.iter().map(|job| (job.job, job.passed.clone())).collect()),
            _ => None,
        })
        .collect();
    let (one, two, three, four) = (JobId(1), JobId(2), JobId(3), JobId(4));
    let free = vec![(one, vec![]), (two, vec![])];
    let second = vec![(three, vec![one, two]), (four, vec![one, two])];
    assert_eq!(claims, [free, second]);
    assert_eq!(going.world.counters.skips, 2);
    going.run.intervene(Intervention::Clear { worker: None, point: Point::AfterClaim });
    going.end().await;
    assert_eq!(going.world.summary().done, 6);
}

fn brief() -> Scenario {
    Scenario { jobs: 1, workers: 1, work_ms: 0, poll_interval_ms: 5, ..Scenario::default() }
}

fn reasons(going: &Going) -> Vec<EmptyReason> {
    let told = going.events.iter().filter_map(|event| match event.what {
        What::ClaimEmpty { reason } => Some(reason),
        _ => None,
    });
    told.collect()
}

#[tokio::test]
async fn an_empty_queue_is_called_empty() {
    let going = finish(brief()).await;
    let reasons = reasons(&going);
    assert!(!reasons.is_empty() && reasons.iter().all(|reason| *reason == EmptyReason::QueueEmpty), "{reasons:?}");
}

#[tokio::test]
async fn a_queue_whose_jobs_are_all_locked_is_not_called_empty() {
    let mut going = start(Scenario { workers: 2, ..brief() }).await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::InWork });
    let standing = |world: &rowlock_shared::world::World| {
        world.workers.iter().any(|worker| worker.session.paused_at == Some(Point::InWork))
    };
    going.until("one at work", |world, _| standing(world)).await;
    let before = going.events.len();
    going.until("an empty claim", |_, event| matches!(event.what, What::ClaimEmpty { .. })).await;
    going.until("another", |_, event| matches!(event.what, What::ClaimEmpty { .. })).await;
    let told = going.events[before..].iter().filter_map(|event| match event.what {
        What::ClaimEmpty { reason } => Some(reason),
        _ => None,
    });
    assert!(told.clone().all(|reason| reason == EmptyReason::AllLocked), "{:?}", told.collect::<Vec<_>>());
    going.run.intervene(Intervention::Clear { worker: None, point: Point::InWork });
    going.end().await;
}

#[tokio::test]
async fn a_queue_whose_jobs_are_not_due_is_not_called_empty() {
    let mut going = start(Scenario {
        shape: Shape::ClaimCommit,
        fail_probability: 1.0,
        retry_backoff: Backoff::Constant,
        retry_backoff_ms: 600_000,
        ..brief()
    })
    .await;
    going.until("an empty claim", |_, event| matches!(event.what, What::ClaimEmpty { .. })).await;
    assert_eq!(reasons(&going), [EmptyReason::NotYetDue]);
    going.run.stop();
    going.end().await;
}

/// The one worker waits behind a stranger whose COMMIT takes job 1 away and brings job 2, put there before or after the
/// worker's BEGIN.
async fn job_2_comes_with_the_commit(before: bool) {
    let mut going = start(Scenario { mode: Mode::ForUpdate, ..brief() }).await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::BeforeClaim });
    going.until("the breakpoint", |_, event| matches!(event.what, What::PausedAt { .. })).await;
    let mut stranger = going.stranger().await;
    let mut say = async |sql: &'static str| sqlx::raw_sql(sql).execute(&mut stranger).await.expect(sql).rows_affected();
    let enqueue = "INSERT INTO jobs (id) VALUES (2)";
    say("BEGIN").await;
    say("UPDATE jobs SET status = 'processing'").await;
    if before {
        say(enqueue).await;
    }
    going.run.intervene(Intervention::Clear { worker: None, point: Point::BeforeClaim });
    going.until("the wait", |world, _| world.waiting() == 1).await;
    if !before {
        say(enqueue).await;
    }
    say("COMMIT").await;
    going.until("the empty claim", |_, event| matches!(event.what, What::ClaimEmpty { .. })).await;
    assert_eq!(reasons(&going), [EmptyReason::ArrivedAfterSnapshot], "enqueued before the claim's BEGIN: {before}");
    let claimed = |event: &Event| matches!(&event.what, What::Claimed { jobs } if jobs[0].job == JobId(2));
    going.until("the claim of the new job", |_, event| claimed(event)).await;
    going.run.stop();
    going.end().await;
}

#[tokio::test]
async fn a_job_committed_during_the_claim_arrived_after_its_snapshot_whenever_its_transaction_began() {
    job_2_comes_with_the_commit(false).await;
    job_2_comes_with_the_commit(true).await;
}
