//! C02: what is asked again after a wait; C04: the lock is gone before the work starts; C22: a finish that nobody counts.

use crate::facts::hand::{Answer, Hand, Refused, Table};
use rowlock_shared::program::Value;
use rowlock_shared::scenario::{Fence, Scenario};
use rowlock_shared::sql::StatementId;

/// A claims with this statement and stays open; B does; A commits. Returns B's answer, and whether it had to wait.
async fn second(test: &str, lock: &str) -> (Result<Answer, Refused>, bool, Table) {
    let sql = format!(
        "UPDATE jobs SET status = 'processing', attempts = attempts + 1
         WHERE id = (SELECT id FROM jobs WHERE status = 'queued' ORDER BY id LIMIT 1 {lock}) {test}
         RETURNING id, attempts"
    );
    let mut table = Table::new(Scenario::default(), 3).await;
    let (mut a, b) = (table.hand().await, table.hand().await);
    a.tell("BEGIN").await;
    assert_eq!(a.ask(&sql, &[]).await.expect("claims").ids(), [1]);
    let waits = lock.is_empty() || lock == "FOR UPDATE";
    let b = b.start(sql, Vec::new());
    let (_, answer) = if waits {
        table.wait_behind(b.pid, &[a.pid]).await;
        a.tell("COMMIT").await;
        b.end().await
    } else {
        // It is answered while A still holds row 1.
        let answered = b.end().await;
        a.tell("COMMIT").await;
        answered
    };
    (answer, waits, table)
}

const GUARD: &str = "AND status = 'queued'";

#[tokio::test]
async fn c02_without_a_lock_the_second_worker_steals_the_same_job() {
    let (answer, _, mut table) = second("", "").await;
    let answer = answer.expect("no error");
    assert_eq!(answer.ids(), [1]);
    assert_eq!(table.job(1).await, ("processing".into(), 2), "two owners");
}

#[tokio::test]
async fn c02_with_an_outer_test_the_second_worker_gets_nothing_though_others_are_queued() {
    let (answer, _, mut table) = second(GUARD, "").await;
    assert_eq!(answer.expect("no error").ids(), Vec::<i64>::new());
    assert_eq!(table.job(1).await, ("processing".into(), 1));
    assert_eq!(table.watch.number("SELECT count(*) FROM jobs WHERE status = 'queued'", &[]).await, 2);
}

#[tokio::test]
async fn c02_a_lock_inside_gives_the_second_worker_the_next_job() {
    for lock in ["FOR UPDATE", "FOR UPDATE SKIP LOCKED"] {
        for test in ["", GUARD] {
            let (answer, waited, _) = second(test, lock).await;
            assert_eq!(answer.expect("no error").ids(), [2], "{lock} {test}");
            assert_eq!(waited, lock == "FOR UPDATE");
        }
    }
    let (answer, ..) = second("", "FOR UPDATE NOWAIT").await;
    assert_eq!(answer.expect_err("row 1 is locked").sqlstate, "55P03");
}

const LOOK: &str = "SELECT id FROM jobs WHERE status = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";

async fn takes(hand: &mut Hand) -> Vec<i64> {
    hand.ask(LOOK, &[]).await.expect("no error").ids()
}

#[tokio::test]
async fn c04_in_autocommit_the_lock_is_gone_before_the_work_starts() {
    let table = Table::new(Scenario::default(), 3).await;
    let (mut a, mut b) = (table.hand().await, table.hand().await);
    assert_eq!((takes(&mut a).await, takes(&mut b).await), (vec![1], vec![1]));
    // The same with transactions that commit before the work.
    a.tell("BEGIN").await;
    assert_eq!(takes(&mut a).await, [1]);
    a.tell("COMMIT").await;
    b.tell("BEGIN").await;
    assert_eq!(takes(&mut b).await, [1]);
    // Only while it is open does it keep others away.
    assert_eq!(takes(&mut a).await, [2]);
}

#[tokio::test]
async fn c04_a_lock_dies_with_the_savepoint_after_which_it_was_taken_and_an_older_one_survives() {
    let table = Table::new(Scenario::default(), 3).await;
    let (mut a, mut b) = (table.hand().await, table.hand().await);
    for statement in ["BEGIN", "SAVEPOINT s"] {
        a.tell(statement).await;
    }
    assert_eq!(takes(&mut a).await, [1]);
    a.tell("ROLLBACK TO s").await;
    assert_eq!(takes(&mut b).await, [1], "taken after the savepoint");
    assert_eq!(takes(&mut a).await, [1]);
    for statement in ["SAVEPOINT t", "ROLLBACK TO t"] {
        a.tell(statement).await;
    }
    assert_eq!(takes(&mut b).await, [2], "taken before it");
}

#[tokio::test]
async fn c22_a_finish_that_comes_second_affects_no_row_and_raises_nothing() {
    let mut table = Table::new(Scenario::default(), 1).await;
    let note = |kind: &str| {
        format!("INSERT INTO effects (job_id, kind, worker, attempt, delivery) VALUES (1, '{kind}', 'worker-A', 1, 1)")
    };
    let (mut pruner, worker) = (table.hand().await, table.hand().await);
    pruner.tell("BEGIN").await;
    assert_eq!(pruner.tell("DELETE FROM jobs WHERE id = 1").await, 1);
    pruner.tell(&note("failed")).await;
    let worker = worker.start("DELETE FROM jobs WHERE id = 1", Vec::new());
    table.wait_behind(worker.pid, &[pruner.pid]).await;
    pruner.tell("COMMIT").await;
    let (mut worker, answer) = worker.answer().await;
    assert_eq!(answer.affected, 0, "and no error");
    // Who does not look at the count goes on, and the job is both.
    worker.tell(&note("finished")).await;
    let both = "SELECT count(DISTINCT kind) FROM effects WHERE job_id = 1";
    assert_eq!(table.watch.number(both, &[]).await, 2);
}

#[tokio::test]
async fn c22_an_ack_waits_for_the_reaper_and_the_fence_decides_what_it_then_does() {
    for (fence, affected, status) in [(Fence::Off, 1, "done"), (Fence::Owner, 0, "queued")] {
        let mut table = Table::new(Scenario { fence, ..Scenario::default() }, 1).await;
        let (mut reaper, mut worker) = (table.hand().await, table.hand().await);
        assert_eq!(worker.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
        reaper.tell("BEGIN").await;
        let reaped = reaper.ask(&table.text(StatementId::Reap), &[Value::Int(0)]).await.expect("reaps");
        assert_eq!(reaped.ids(), [1]);
        let worker = worker.start(table.text(StatementId::Ack), ack(fence, "worker-A", 1));
        table.wait_behind(worker.pid, &[reaper.pid]).await;
        reaper.tell("COMMIT").await;
        assert_eq!(worker.answer().await.1.affected, affected, "{}", fence.word());
        assert_eq!(table.job(1).await.0, status, "{}", fence.word());
    }
}

/// Arguments of an ack of job 1 by this worker's attempt.
fn ack(fence: Fence, worker: &str, attempt: i64) -> Vec<Value> {
    let mut args = vec![Value::Int(1)];
    args.extend((fence != Fence::Off).then(|| Value::Text(worker.into())));
    args.extend((fence == Fence::OwnerAttempt).then_some(Value::Int(attempt)));
    args
}

#[tokio::test]
async fn c22_a_worker_s_name_is_no_fence_its_attempt_is() {
    // Who has job 1 when the ack of worker-A's first attempt comes, and how many rows it changes: (off, owner, attempt).
    let cases = [("worker-A", 1, (1, 1, 1)), ("worker-B", 2, (1, 0, 0)), ("worker-A", 2, (1, 1, 0))];
    for (owner, attempt, (off, by_owner, by_attempt)) in cases {
        for (fence, affected) in [(Fence::Off, off), (Fence::Owner, by_owner), (Fence::OwnerAttempt, by_attempt)] {
            let mut table = Table::new(Scenario { fence, ..Scenario::default() }, 1).await;
            let mut session = table.hand().await;
            for round in 1..=attempt {
                let name = if round == attempt { owner } else { "worker-A" };
                assert_eq!(session.claim(&table, name).await.expect("claims").ids(), [1]);
                if round < attempt {
                    let reap = table.text(StatementId::Reap);
                    assert_eq!(table.watch.ask(&reap, &[Value::Int(0)]).await.expect("reaps").ids(), [1]);
                }
            }
            let late = session.ask(&table.text(StatementId::Ack), &ack(fence, "worker-A", 1)).await.expect("no error");
            assert_eq!(late.affected, affected, "{} against {owner}'s attempt {attempt}", fence.word());
        }
    }
}
