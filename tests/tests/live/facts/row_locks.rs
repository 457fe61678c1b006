//! Row locks are in the rows; waits for them are in pg_locks, and form a queue.

use super::hand::{Table, Wait};
use crate::server::{Going, start};
use rowlock_shared::event::{Event, WaitFor, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::program::{Point, Value};
use rowlock_shared::scenario::{Mode, Scenario};
use rowlock_shared::wire::Intervention;
use rowlock_shared::world::World;

fn for_update() -> Scenario {
    Scenario { mode: Mode::ForUpdate, ..Scenario::default() }
}

const LOCKS: &str = "SELECT count(*) FROM pg_locks WHERE pid = $1";
const TUPLE_LOCKS: &str = "SELECT count(*) FROM pg_locks WHERE pid = $1 AND locktype = 'tuple'";

#[tokio::test]
async fn a_row_lock_that_nobody_waits_for_is_not_in_pg_locks_but_pgrowlocks_shows_it() {
    let mut table = Table::new(for_update(), 100).await;
    for strength in ["Key Share", "Share", "No Key Update", "Update"] {
        let mut holder = table.hand().await;
        let pid = [Value::Int(holder.pid.into())];
        holder.tell("BEGIN").await;
        holder.tell(&format!("SELECT id FROM jobs WHERE id = 7 FOR {strength}")).await;
        assert_eq!(table.watch.number(TUPLE_LOCKS, &pid).await, 0, "{strength}");
        assert_eq!(table.row_locks().await, [(7, vec![holder.pid], vec![format!("For {strength}")])]);
        // However many rows: the lock table has no more entries than for one.
        let of_one = table.watch.number(LOCKS, &pid).await;
        holder.tell(&format!("SELECT id FROM jobs WHERE id > 7 FOR {strength}")).await;
        assert_eq!(table.watch.number(LOCKS, &pid).await, of_one, "{strength}");
        assert_eq!(table.row_locks().await.len(), 94, "{strength}");
        holder.tell("ROLLBACK").await;
        assert_eq!(table.row_locks().await, [], "{strength}");
    }
}

#[tokio::test]
async fn pgrowlocks_names_the_holder_s_transaction() {
    let mut table = Table::new(for_update(), 2).await;
    let mut holder = table.hand().await;
    holder.tell("BEGIN").await;
    let claimed = holder.claim(&table, "worker-A").await.expect("claims");
    assert_eq!(claimed.ids(), [1]);
    let xid = holder.number("SELECT pg_current_xact_id()::text::bigint", &[]).await;
    let locker = "SELECT locker::text::bigint FROM rowlock.pgrowlocks('jobs')";
    assert_eq!(table.watch.number(locker, &[]).await, xid);
}

#[tokio::test]
async fn the_first_waiter_holds_the_tuple_lock_and_the_others_queue_behind_it() {
    let mut table = Table::new(for_update(), 5).await;
    let mut a = table.hand().await;
    a.tell("BEGIN").await;
    assert_eq!(a.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    let mut waiting = Vec::new();
    let mut ahead = vec![a.pid];
    for worker in ["worker-B", "worker-C", "worker-D"] {
        let mut hand = table.hand().await;
        hand.tell("BEGIN").await;
        let pending = hand.start_claim(&table, worker);
        // Seen with a waitstart, or it would not count as seen.
        let wait = table.wait_of(pending.pid).await;
        let (locktype, mode) = match worker {
            "worker-B" => ("transactionid", "ShareLock"),
            _ => ("tuple", "AccessExclusiveLock"),
        };
        assert_eq!(wait, Wait { locktype: locktype.into(), mode: mode.into(), blockers: ahead.clone() }, "{worker}");
        // From the second on: the waiters before it, not the holder.
        if ahead == [a.pid] {
            ahead.clear();
        }
        ahead.push(pending.pid);
        waiting.push(pending);
    }
    let [b, c, d]: [_; 3] = waiting.try_into().ok().expect("three wait");
    let held = "SELECT count(*) FROM pg_locks WHERE pid = $1 AND locktype = 'tuple' AND granted";
    assert_eq!(table.watch.number(held, &[Value::Int(b.pid.into())]).await, 1);
    assert_eq!(table.watch.number(held, &[Value::Int(c.pid.into())]).await, 0);

    // The first in line goes first, and the others stay in line: now behind it.
    a.tell("COMMIT").await;
    let (mut b, answer) = b.answer().await;
    assert_eq!(answer.ids(), [2]);
    table.wait_behind(c.pid, &[b.pid]).await;
    table.wait_behind(d.pid, &[c.pid]).await;
    b.tell("COMMIT").await;
    let (mut c, answer) = c.answer().await;
    assert_eq!(answer.ids(), [3]);
    table.wait_behind(d.pid, &[c.pid]).await;
    c.tell("ROLLBACK").await;
    assert_eq!(d.answer().await.1.ids(), [3], "what was rolled back is the next one's");
}

/// Places and blockers as the fold has them: (worker, place, blocked by), by place.
fn line(world: &World, job: JobId) -> Vec<(WorkerId, u32, Vec<Actor>)> {
    let waits = world.workers.iter().filter_map(|worker| {
        let wait = worker.session.wait.as_ref().filter(|wait| wait.job == Some(job))?;
        Some((worker.id, wait.place, wait.blocked_by.clone()))
    });
    let mut line: Vec<_> = waits.collect();
    line.sort_by_key(|(_, place, _)| *place);
    line
}

async fn three_wait_behind_one() -> Going {
    let mut going = start(Scenario { jobs: 10, workers: 4, work_ms: 0, ..for_update() }).await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::InWork });
    going.until("three waiters", |world, _| world.waiting() == 3).await;
    going
}

#[tokio::test]
async fn the_observer_tells_the_same_queue() {
    let mut going = three_wait_behind_one().await;
    let complete = |world: &World| {
        let line = line(world, JobId(1));
        let places: Vec<u32> = line.iter().map(|(_, place, _)| *place).collect();
        places == [1, 2, 3] && line[2].2.len() == 2
    };
    if !complete(&going.world) {
        going.until("three places", |world, _| complete(world)).await;
    }
    let line = line(&going.world, JobId(1));
    let holder = going.world.job(JobId(1)).and_then(|job| job.holder.clone()).expect("row 1 is held").who;
    let [(first, _, before_first), (second, _, before_second), (third, _, before_third)] = &line[..] else {
        panic!("{line:?}")
    };
    assert_eq!(before_first, &[holder]);
    assert_eq!(before_second, &[Actor::Worker(*first)]);
    assert_eq!(before_third, &[Actor::Worker(*first), Actor::Worker(*second)]);
    let queue = [first, second, third].map(|worker| Actor::Worker(*worker));
    assert_eq!(going.world.job(JobId(1)).expect("the job").queue, queue);

    let told = |who: WorkerId| {
        let of_who = |event: &&Event| event.who == Actor::Worker(who);
        let mut told = going.events.iter().filter(of_who).filter_map(|event| match &event.what {
            What::WaitBegan { wait, since, lock, .. } => Some((*wait, *since, lock.clone(), event.at)),
            _ => None,
        });
        told.next_back().expect("its wait was told")
    };
    let [one, two, three] = [*first, *second, *third].map(told);
    assert_eq!([one.0, two.0, three.0], [WaitFor::TransactionId, WaitFor::Tuple, WaitFor::Tuple]);
    assert!(one.2.transactionid.is_some() && two.2.tuple.is_some(), "{one:?} {two:?}");
    for (_, since, _, at) in [one, two, three] {
        assert!(since <= at, "waitstart lies before the look that found it: {since} and {at}");
    }

    going.run.intervene(Intervention::Clear { worker: None, point: Point::InWork });
    going.end().await;
    assert_eq!((going.world.summary().done, going.world.counters.two_holders), (10, 0));
}
