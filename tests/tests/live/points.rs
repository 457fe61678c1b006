//! Breakpoints: a run stands still, a person joins it with a lock of their own, and the picture shows it.

use crate::server::{finish, start};
use rowlock_shared::event::{EndReason, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::program::Point;
use rowlock_shared::scenario::{Choice, Mode, Scenario, Shape};
use rowlock_shared::wire::Intervention;
use rowlock_shared::world::JobState;
use sqlx::{Executor, Row};
use std::collections::BTreeMap;

#[tokio::test]
async fn a_teacher_locks_row_3_by_hand_and_the_class_sees_who_waits() {
    // Nothing is left to chance: the worker stops before every claim.
    let mut going = start(Scenario {
        mode: Mode::ForUpdate,
        jobs: 5,
        workers: 1,
        work_ms: 5,
        arrival: rowlock_shared::scenario::Arrival::Burst,
        ..Scenario::default()
    })
    .await;
    going.run.intervene(Intervention::Break { worker: None, point: Point::BeforeClaim });
    // The order may come after the first claims; from then on the worker stands.
    going.until("the breakpoint", |_, event| matches!(event.what, What::PausedAt { .. })).await;
    let next = going.world.jobs.iter().find(|job| job.state == JobState::Queued).expect("a job is left").id;
    let mut teacher = going.stranger().await;
    teacher.execute("BEGIN").await.expect("begins");
    let pid: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut teacher).await.expect("a pid");
    sqlx::query("SELECT id FROM jobs WHERE id = $1 FOR UPDATE")
        .bind(i64::from(next.0))
        .fetch_one(&mut teacher)
        .await
        .expect("locks");
    let stranger = Actor::Stranger { pid };
    going
        .until("the stranger's lock", |world, _| {
            world.job(next).and_then(|job| job.holder.as_ref()).is_some_and(|holder| holder.who == stranger)
        })
        .await;
    going.run.intervene(Intervention::Clear { worker: None, point: Point::BeforeClaim });
    going
        .until("the wait behind the stranger", |world, _| {
            let wait = world.worker(WorkerId(1)).and_then(|worker| worker.session.wait.as_ref());
            wait.is_some_and(|wait| wait.blocked_by == [stranger] && wait.job == Some(next))
        })
        .await;
    assert_eq!(going.world.job(next).expect("the job").queue, [Actor::Worker(WorkerId(1))]);
    teacher.execute("ROLLBACK").await.expect("lets go");
    going.end().await;
    assert_eq!(going.world.summary().done, 5);
}

#[tokio::test]
async fn a_step_goes_to_the_very_next_point() {
    let mut going =
        start(Scenario { shape: Shape::ClaimCommit, jobs: 2, workers: 1, work_ms: 2, ..Scenario::default() }).await;
    going.run.intervene(Intervention::Break { worker: Some(WorkerId(1)), point: Point::AfterClaim });
    let paused = |point| move |_: &_, event: &rowlock_shared::event::Event| event.what == What::PausedAt { point };
    going.until("the breakpoint", paused(Point::AfterClaim)).await;
    for point in [Point::BeforeWork, Point::InWork, Point::AfterEffect, Point::AfterAck, Point::BeforeClaim] {
        going.run.intervene(Intervention::Step { worker: WorkerId(1) });
        going.until(point.word(), paused(point)).await;
    }
    going.run.intervene(Intervention::Clear { worker: Some(WorkerId(1)), point: Point::AfterClaim });
    going.run.intervene(Intervention::Resume { worker: None });
    going.end().await;
    assert_eq!(going.world.summary().done, 2);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_work_in_every_mode() {
    let mut seen: Option<BTreeMap<JobId, u64>> = None;
    for (word, mode) in Mode::WORDS {
        let going = finish(Scenario {
            mode: *mode,
            jobs: 30,
            workers: 4,
            work: rowlock_shared::scenario::WorkTime::Exponential,
            work_ms: 3,
            poll_interval_ms: 5,
            ..Scenario::default()
        })
        .await;
        let first_deliveries = going.events.iter().filter_map(|event| match event.what {
            What::WorkBegan { job, delivery: 1, us, .. } => Some((job, us)),
            _ => None,
        });
        let work: BTreeMap<JobId, u64> = first_deliveries.collect();
        assert_eq!(work.len(), 30, "{word}");
        assert_eq!(seen.get_or_insert_with(|| work.clone()), &work, "{word}");
    }
}

#[tokio::test]
async fn a_run_can_be_stopped_and_leaves_nothing_open() {
    let mut going = start(Scenario { work_ms: 60_000, ..Scenario::default() }).await;
    going.until("work", |_, event| matches!(event.what, What::WorkBegan { .. })).await;
    going.run.stop();
    going.end().await;
    assert_eq!(going.world.ended.as_ref().map(|(reason, _)| *reason), Some(EndReason::Stopped));
    let mut person = going.stranger().await;
    let left = sqlx::query("SELECT count(*) FROM pg_stat_activity WHERE starts_with(application_name, $1)")
        .bind(format!("rowlock run {} ", going.id))
        .fetch_one(&mut person)
        .await
        .expect("pg_stat_activity");
    assert_eq!(left.get::<i64, _>(0), 0);
}

#[tokio::test]
async fn the_time_limit_ends_a_run_and_says_so() {
    let going = finish(Scenario { work_ms: 60_000, time_limit_ms: 300, ..Scenario::default() }).await;
    assert_eq!(going.world.ended.as_ref().map(|(reason, _)| *reason), Some(EndReason::TimeLimit));
}

#[tokio::test]
async fn a_table_lock_by_hand_stops_everyone_and_the_picture_goes_on() {
    let mut going = start(Scenario { work_ms: 20, jobs: 400, ..Scenario::default() }).await;
    going.until("work", |_, event| matches!(event.what, What::WorkBegan { .. })).await;
    let mut person = going.stranger().await;
    person.execute("BEGIN").await.expect("begins");
    // Waits for the claims that go on, and everyone who comes later waits behind it: SKIP LOCKED skips rows, not tables.
    person.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE").await.expect("locks");
    let all_wait = |world: &rowlock_shared::world::World| {
        world.workers.iter().all(|worker| {
            worker.session.wait.as_ref().is_some_and(|wait| wait.wait == rowlock_shared::event::WaitFor::Relation)
        })
    };
    going.until("everyone's wait for the table", |world, _| all_wait(world)).await;
    person.execute("ROLLBACK").await.expect("lets go");
    going.end().await;
    assert_eq!(going.world.summary().done, 400);
}

#[tokio::test]
async fn the_time_limit_holds_even_while_a_person_locks_the_table() {
    let mut going = start(Scenario { work_ms: 20, jobs: 4000, time_limit_ms: 2000, ..Scenario::default() }).await;
    going.until("work", |_, event| matches!(event.what, What::WorkBegan { .. })).await;
    let mut person = going.stranger().await;
    person.execute("BEGIN").await.expect("begins");
    person.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE").await.expect("locks");
    going.end().await;
    assert_eq!(going.world.ended.as_ref().map(|(reason, _)| *reason), Some(EndReason::TimeLimit));
}

#[tokio::test]
async fn a_dropped_table_fails_the_run_and_says_why() {
    let mut going = start(Scenario { work_ms: 20, jobs: 4000, ..Scenario::default() }).await;
    going.until("work", |_, event| matches!(event.what, What::WorkBegan { .. })).await;
    let mut person = going.stranger().await;
    person.execute("DROP TABLE jobs").await.expect("drops");
    going.end().await;
    let (reason, detail) = going.world.ended.clone().expect("it ended");
    assert_eq!(reason, EndReason::Failed);
    assert!(detail.contains("jobs"), "{detail}");
}
