//! What a crash leaves behind, at every point of the protocol and in both shapes; and how it is rescued.

use crate::modes::counters_equal_the_tables;
use crate::server::{Going, PATIENCE, finish, start};
use rowlock_shared::event::{EndReason, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::program::Point;
use rowlock_shared::scenario::{CrashMethod, CrashPoint, Fence, Scenario, Shape};
use rowlock_shared::wire::Intervention;
use rowlock_shared::world::{JobState, World};
use sqlx::{PgConnection, Row};

/// Status, attempts and effects of job 1 after its worker crashed and the server noticed.
async fn left_behind(shape: Shape, point: CrashPoint) -> (String, i32, i64) {
    let mut going = start(Scenario {
        shape,
        crash_point: point,
        crash_probability: 1.0,
        jobs: 1,
        workers: 1,
        work_ms: 2,
        // It stays down: what it left is to be looked at.
        restart_delay_ms: 600_000,
        ..Scenario::default()
    })
    .await;
    going.until("the crash", |_, event| matches!(event.what, What::Crashed { .. })).await;
    let mut person = going.stranger().await;
    backend_is_gone(&going, &mut person, WorkerId(1)).await;
    let row = sqlx::query(
        "SELECT status, attempts, (SELECT count(*) FROM effects WHERE job_id = jobs.id) FROM jobs WHERE id = 1",
    )
    .fetch_one(&mut person)
    .await
    .expect("job 1");
    going.run.stop();
    going.end().await;
    (row.get(0), row.get(1), row.get(2))
}

/// Waits until the server has noticed that a client is gone.
async fn backend_is_gone(going: &Going, person: &mut PgConnection, worker: WorkerId) {
    let name = format!("rowlock run {} {}", going.id, worker.name());
    let wait = async {
        loop {
            let left: i64 = sqlx::query_scalar("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1")
                .bind(&name)
                .fetch_one(&mut *person)
                .await
                .expect("pg_stat_activity");
            if left == 0 {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("the server notices a closed socket");
}

#[tokio::test]
async fn every_crash_point_in_both_shapes_leaves_what_the_table_says() {
    use CrashPoint::{AfterAck, AfterClaim, AfterEffect, BeforeClaim, BeforeWork, InWork};
    let rolled_back = ("queued", 0);
    let left_processing = ("processing", 1);
    let table = [
        (Shape::Hold, BeforeClaim, rolled_back, 0),
        (Shape::Hold, AfterClaim, rolled_back, 0),
        (Shape::Hold, BeforeWork, rolled_back, 0),
        (Shape::Hold, InWork, rolled_back, 0),
        (Shape::Hold, AfterEffect, rolled_back, 1),
        (Shape::Hold, AfterAck, rolled_back, 1),
        (Shape::ClaimCommit, BeforeClaim, rolled_back, 0),
        (Shape::ClaimCommit, AfterClaim, rolled_back, 0),
        (Shape::ClaimCommit, BeforeWork, left_processing, 0),
        (Shape::ClaimCommit, InWork, left_processing, 0),
        (Shape::ClaimCommit, AfterEffect, left_processing, 1),
        (Shape::ClaimCommit, AfterAck, left_processing, 1),
    ];
    for (shape, point, (status, attempts), effects) in table {
        let left = left_behind(shape, point).await;
        assert_eq!(left, (status.to_owned(), attempts, effects), "{} {}", shape.word(), point.word());
    }
}

#[tokio::test]
async fn the_reaper_brings_back_what_crashed_workers_left() {
    let going = finish(Scenario {
        shape: Shape::ClaimCommit,
        crash_probability: 0.3,
        crash_point: CrashPoint::Any,
        jobs: 60,
        workers: 6,
        work_ms: 5,
        poll_interval_ms: 10,
        restart_delay_ms: 20,
        max_attempts: 20,
        reaper: true,
        reaper_period_ms: 50,
        lease_ms: 300,
        fence: Fence::OwnerAttempt,
        ..Scenario::default()
    })
    .await;
    let summary = going.world.summary();
    assert_eq!(summary.ended, Some(EndReason::Quiescent), "{summary:#?}");
    assert_eq!(summary.done, 60, "{summary:#?}");
    assert!(summary.crashes > 0 && summary.reaped > 0, "{summary:#?}");
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn without_a_reaper_the_jobs_of_crashed_workers_stay_in_processing() {
    let going = finish(Scenario {
        shape: Shape::ClaimCommit,
        crash_probability: 0.3,
        jobs: 40,
        workers: 4,
        work_ms: 2,
        restart_delay_ms: 10,
        ..Scenario::default()
    })
    .await;
    let summary = going.world.summary();
    assert_eq!(summary.ended, Some(EndReason::Quiescent), "{summary:#?}");
    assert_eq!(summary.processing, summary.crashes, "{summary:#?}");
    assert!(summary.processing > 0 && summary.done == 40 - summary.processing, "{summary:#?}");
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn a_hang_holds_its_row_until_the_idle_timeout_ends_the_session() {
    let scenario = Scenario { jobs: 3, workers: 2, work_ms: 10, hang_probability: 1.0, ..Scenario::default() };
    let mut going = start(Scenario { idle_in_transaction_timeout_ms: 300, ..scenario.clone() }).await;
    going.until("the hang", |_, event| matches!(event.what, What::Hung { .. })).await;
    let row = going.world.workers.iter().find_map(|worker| worker.session.holds.first().copied());
    assert!(row.is_some(), "a hung worker holds its row");
    let mut person = going.stranger().await;
    let Actor::Worker(hung) = going.events.last().expect("an event").who else { panic!("a worker hung") };
    backend_is_gone(&going, &mut person, hung).await;
    // The worker itself never notices; the picture does.
    let let_go = |world: &World| world.worker(hung).is_some_and(|worker| worker.session.holds.is_empty());
    going.until("the end of its lock on the stage", |world, _| let_go(world)).await;
    going.run.stop();
    going.end().await;

    // Without a timeout nothing can change any more once all workers hang, and the run says so by itself.
    let going = finish(scenario).await;
    let summary = going.world.summary();
    assert_eq!((summary.ended, summary.hangs), (Some(EndReason::Quiescent), 2), "{summary:#?}");
}

#[tokio::test]
async fn a_worker_killed_while_it_waits_leaves_its_statement_behind() {
    for method in [CrashMethod::CloseSocket, CrashMethod::TerminateBackend] {
        let mut going = start(Scenario {
            mode: rowlock_shared::scenario::Mode::ForUpdate,
            jobs: 3,
            workers: 2,
            work_ms: 60_000,
            restart_delay_ms: 600_000,
            crash_method: method,
            ..Scenario::default()
        })
        .await;
        going.until("a wait", |_, event| matches!(event.what, What::WaitBegan { .. })).await;
        let waiter = going.events.last().expect("an event").who.worker().expect("a worker waits");
        let holder = going.world.job(JobId(1)).and_then(|job| job.holder.clone()).expect("row 1 is held").who;
        assert_ne!(holder, Actor::Worker(waiter));
        going.run.intervene(Intervention::Crash { worker: waiter });
        going.until("the crash", |_, event| matches!(event.what, What::Crashed { point: Point::Anywhere, .. })).await;
        let mut person = going.stranger().await;
        let name = format!("rowlock run {} {}", going.id, waiter.name());
        match method {
            CrashMethod::CloseSocket => {
                let is_orphan = |world: &World| {
                    world.others.values().any(|other| {
                        let orphan = other.backend.as_ref().is_some_and(|backend| backend.orphan_of == Some(waiter));
                        orphan && other.wait.is_some()
                    })
                };
                going.until("the orphan on the stage", |world, _| is_orphan(world)).await;
                // The backend does not look at its socket while it waits: the orphan is still there and still waits.
                let waits: i64 = sqlx::query_scalar(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
                )
                .bind(&name)
                .fetch_one(&mut person)
                .await
                .expect("pg_stat_activity");
                assert_eq!(waits, 1);
            }
            CrashMethod::TerminateBackend => backend_is_gone(&going, &mut person, waiter).await,
        }
        going.run.stop();
        going.end().await;
        // Nothing of a run stays connected after it.
        let left: i64 =
            sqlx::query_scalar("SELECT count(*) FROM pg_stat_activity WHERE starts_with(application_name, $1)")
                .bind(format!("rowlock run {} ", going.id))
                .fetch_one(&mut person)
                .await
                .expect("pg_stat_activity");
        assert_eq!(left, 0);
    }
}

#[tokio::test]
async fn heartbeats_keep_the_reaper_away_from_a_live_worker() {
    let scenario = Scenario {
        shape: Shape::ClaimCommit,
        jobs: 2,
        workers: 2,
        work_ms: 900,
        reaper: true,
        reaper_period_ms: 50,
        lease_ms: 300,
        max_attempts: 100,
        fence: Fence::OwnerAttempt,
        ..Scenario::default()
    };
    let going = finish(Scenario { heartbeat: true, heartbeat_period_ms: 50, ..scenario.clone() }).await;
    let summary = going.world.summary();
    assert_eq!((summary.done, summary.reaped, summary.duplicates), (2, 0, 0), "{summary:#?}");

    let mut going = start(scenario).await;
    going.until("a stale ack", |_, event| matches!(event.what, What::StaleAck { .. })).await;
    assert!(going.world.counters.reaped > 0);
    assert!(going.world.job(JobId(1)).is_some_and(|job| job.state != JobState::Done));
    going.run.stop();
    going.end().await;
}
