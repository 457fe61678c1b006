//! A woken waiter looks again: at the row it waited for, then at the others of its own snapshot, and at no younger ones.

use super::hand::Table;
use crate::server::start;
use rowlock_shared::event::{EmptyReason, Event, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::program::{Point, Value};
use rowlock_shared::scenario::{Fence, Mode, Scenario, Shape};
use rowlock_shared::sql::StatementId;
use rowlock_shared::wire::Intervention;

fn for_update() -> Scenario {
    Scenario { mode: Mode::ForUpdate, ..Scenario::default() }
}

#[tokio::test]
async fn a_woken_waiter_takes_the_next_row_and_keeps_the_lock_on_the_one_it_rechecked() {
    let mut table = Table::new(Scenario { fence: Fence::OwnerAttempt, ..for_update() }, 3).await;
    let (mut a, mut b) = (table.hand().await, table.hand().await);
    a.tell("BEGIN").await;
    assert_eq!(a.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    b.tell("BEGIN").await;
    let b = b.start_claim(&table, "worker-B");
    table.wait_behind(b.pid, &[a.pid]).await;
    a.tell("COMMIT").await;
    let (mut b, answer) = b.answer().await;
    assert_eq!((answer.ids(), answer.passed(0)), (vec![2], vec![1]), "rechecked row 1, took row 2");
    let held: Vec<(i64, Vec<i32>)> = table.row_locks().await.into_iter().map(|(id, pids, _)| (id, pids)).collect();
    assert_eq!(held, [(1, vec![b.pid]), (2, vec![b.pid])], "the lock on row 1's new version stays");

    // The reaper steps over row 1, whose lease is over; the first worker's ack waits for it.
    let reap = table.text(StatementId::Reap);
    let reaped = table.watch.ask(&reap, &[Value::Int(0)]).await.expect("reaps");
    assert_eq!(reaped.ids(), Vec::<i64>::new());
    a.tell("BEGIN").await;
    let ack = [Value::Int(1), Value::Text("worker-A".into()), Value::Int(1)];
    let a = a.start(table.text(StatementId::Ack), ack.into());
    table.wait_behind(a.pid, &[b.pid]).await;
    b.tell("COMMIT").await;
    let (mut a, answer) = a.answer().await;
    assert_eq!(answer.affected, 1, "it was late, not stale");
    a.tell("COMMIT").await;
    assert_eq!(table.job(1).await, ("done".into(), 1));
}

#[tokio::test]
async fn the_run_shows_the_first_worker_s_ack_waiting_for_the_second_worker_s_claim() {
    let mut going =
        start(Scenario { shape: Shape::ClaimCommit, jobs: 3, workers: 2, work_ms: 0, ..for_update() }).await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::AfterClaim });
    going.until("a waiter", |world, _| world.waiting() == 1).await;
    let waiter = going.world.workers.iter().find(|worker| worker.session.wait.is_some()).expect("one waits").id;
    let first = WorkerId(3 - waiter.0);
    going.run.intervene(Intervention::Resume { worker: Some(first) });
    going
        .until("the ack's wait", |world, _| {
            let session = &world.worker(first).expect("a worker").session;
            let wait = session.wait.as_ref().filter(|_| session.statement == Some(StatementId::Ack));
            wait.is_some_and(|wait| wait.job == Some(JobId(1)) && wait.blocked_by == [Actor::Worker(waiter)])
        })
        .await;
    assert_eq!(going.world.worker(waiter).expect("a worker").session.paused_at, Some(Point::AfterClaim));
    going.run.intervene(Intervention::Clear { worker: None, point: Point::AfterClaim });
    going.end().await;
    let summary = going.world.summary();
    assert_eq!((summary.done, summary.stale_acks, summary.duplicates), (3, 0, 0), "{summary:#?}");
    let rechecked = going.events.iter().any(|event| {
        let What::Claimed { jobs } = &event.what else { return false };
        event.who == Actor::Worker(waiter) && jobs[0].job == JobId(2) && jobs[0].passed == [JobId(1)]
    });
    assert!(rechecked, "the waiter's claim says that it passed over job 1");
}

#[tokio::test]
async fn rows_enqueued_after_the_waiter_s_snapshot_do_not_count() {
    let mut table = Table::new(for_update(), 1).await;
    let (mut a, mut b) = (table.hand().await, table.hand().await);
    a.tell("BEGIN").await;
    assert_eq!(a.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    b.tell("BEGIN").await;
    let b = b.start_claim(&table, "worker-B");
    table.wait_behind(b.pid, &[a.pid]).await;
    let (ids, priorities) = (Value::Ints(vec![2, 3]), Value::Ints(vec![0, 0]));
    let enqueue = table.text(StatementId::Enqueue);
    table.watch.ask(&enqueue, &[ids, priorities, Value::Int(3)]).await.expect("enqueues");
    a.tell("COMMIT").await;
    let (mut b, answer) = b.answer().await;
    assert_eq!(answer.ids(), Vec::<i64>::new(), "nothing, with two jobs on the queue");
    // Its next statement has a snapshot of its own.
    assert_eq!(
        b.claim(&table, "worker-B").await.expect("claims").ids(),
        Vec::<i64>::new(),
        "now() is still the old one"
    );
    b.tell("COMMIT").await;
    b.tell("BEGIN").await;
    assert_eq!(b.claim(&table, "worker-B").await.expect("claims").ids(), [2]);
}

#[tokio::test]
async fn the_run_says_that_jobs_arrived_after_the_snapshot() {
    let mut going = start(Scenario { jobs: 1, workers: 2, work_ms: 0, poll_interval_ms: 5, ..for_update() }).await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::InWork });
    going.until("a waiter", |world, _| world.waiting() == 1).await;
    let waiter = going.events.last().expect("an event").who;
    let mut stranger = going.stranger().await;
    sqlx::query("INSERT INTO jobs (id) VALUES (2)").execute(&mut stranger).await.expect("enqueues");
    going.run.intervene(Intervention::Resume { worker: None });
    let empty = |reason: EmptyReason| move |event: &Event| event.what == What::ClaimEmpty { reason };
    let after = empty(EmptyReason::ArrivedAfterSnapshot);
    going.until("the empty claim", |_, event| event.who == waiter && after(event)).await;
    going.run.intervene(Intervention::Clear { worker: None, point: Point::InWork });
    going.end().await;
    assert_eq!(going.world.summary().done, 2);
    assert_eq!(going.world.counters.empties(EmptyReason::AllLocked), 0, "FOR UPDATE never finds all locked: it waits");
}

#[tokio::test]
async fn while_rows_of_its_own_snapshot_are_free_nobody_gets_an_empty_result() {
    let mut table = Table::new(for_update(), 4).await;
    let mut a = table.hand().await;
    a.tell("BEGIN").await;
    assert_eq!(a.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    let mut waiting = Vec::new();
    for worker in ["worker-B", "worker-C", "worker-D"] {
        let pending = table.hand().await.start_claim(&table, worker);
        table.wait_of(pending.pid).await;
        waiting.push(pending);
    }
    a.tell("COMMIT").await;
    let mut got = Vec::new();
    for pending in waiting {
        got.extend(pending.answer().await.1.ids());
    }
    got.sort_unstable();
    assert_eq!(got, [2, 3, 4], "each of them its own row");
}
