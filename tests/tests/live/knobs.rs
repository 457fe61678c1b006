//! Knobs that change what the database does: each is turned, and its effect is read from the events.

use crate::modes::counters_equal_the_tables;
use crate::server::{finish, start_alone};
use rowlock_shared::event::{EmptyReason, EndReason, RefusalKind, What};
use rowlock_shared::program::Point;
use rowlock_shared::scenario::*;
use rowlock_shared::wire::Intervention;
use rowlock_shared::world::JobState;
use sqlx::Executor;

fn quick() -> Scenario {
    Scenario { jobs: 60, workers: 6, work_ms: 3, poll_interval_ms: 10, ..Scenario::default() }
}

#[tokio::test]
async fn advisory_unguarded_claims_some_jobs_again() {
    // The trap needs a claim whose snapshot is older than another's commit; among thousands of claims some are.
    let mut repeats = 0;
    for seed in 0..20 {
        let going = finish(Scenario {
            mode: Mode::AdvisoryUnguarded,
            shape: Shape::ClaimCommit,
            jobs: 400,
            workers: 16,
            work_ms: 0,
            seed,
            ..Scenario::default()
        })
        .await;
        counters_equal_the_tables(&going).await;
        assert_eq!(going.world.summary().done, 400);
        repeats += going.world.summary().duplicates;
        if repeats > 0 {
            return;
        }
    }
    panic!("no job was claimed again in 20 runs of 400 jobs");
}

#[tokio::test]
async fn a_batch_takes_up_to_so_many_jobs() {
    for shape in [Shape::Hold, Shape::ClaimCommit] {
        let going = finish(Scenario { batch: 7, shape, ..quick() }).await;
        let sizes = going.events.iter().filter_map(|event| match &event.what {
            What::Claimed { jobs } => Some(jobs.len()),
            _ => None,
        });
        assert_eq!(sizes.max(), Some(7));
        assert_eq!((going.world.summary().done, going.world.counters.two_holders), (60, 0));
        counters_equal_the_tables(&going).await;
    }
}

#[tokio::test]
async fn notify_wakes_workers_that_would_sleep_for_minutes() {
    let going = finish(Scenario {
        wake_up: WakeUp::Both,
        poll_interval_ms: 60_000,
        arrival: Arrival::Poisson,
        arrival_rate: 100.0,
        jobs: 40,
        time_limit_ms: 50_000,
        ..quick()
    })
    .await;
    let summary = going.world.summary();
    assert_eq!((summary.done, going.world.count(JobState::Done)), (40, 40));
    // Everyone found the queue empty and sleeps: the run ends without waiting for the polls.
    assert_eq!(summary.ended, Some(EndReason::Quiescent), "{summary:#?}");
}

#[tokio::test]
async fn with_notify_alone_a_retry_wakes_nobody() {
    // Only the producer notifies. What fails at the very end is queued again, and everyone sleeps for good.
    let going = finish(Scenario {
        wake_up: WakeUp::Notify,
        shape: Shape::ClaimCommit,
        jobs: 6,
        fail_probability: 1.0,
        max_attempts: 2,
        retry_backoff_ms: 300,
        ..quick()
    })
    .await;
    let summary = going.world.summary();
    assert_eq!(summary.ended, Some(EndReason::Quiescent), "{summary:#?}");
    assert_eq!(summary.queued, 6, "{summary:#?}");
}

#[tokio::test]
async fn repeatable_read_turns_waits_into_serialization_failures() {
    let going =
        finish(Scenario { mode: Mode::ForUpdate, isolation: Isolation::RepeatableRead, jobs: 20, ..quick() }).await;
    let summary = going.world.summary();
    assert!(summary.serialization_failures > 0, "{summary:#?}");
    assert_eq!((summary.done, summary.duplicates), (20, 0), "{summary:#?}");
    let states = going.events.iter().filter_map(|event| match &event.what {
        What::Returned { refusal: Some(refusal), .. } => refusal.sqlstate.as_deref(),
        _ => None,
    });
    assert!(states.clone().count() > 0 && states.into_iter().all(|state| state == "40001"));
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn serializable_is_safe_even_for_the_naive_claim() {
    let going = finish(Scenario {
        mode: Mode::Naive,
        shape: Shape::ClaimCommit,
        isolation: Isolation::Serializable,
        jobs: 20,
        ..quick()
    })
    .await;
    let summary = going.world.summary();
    assert_eq!(summary.duplicates, 0, "{summary:#?}");
    assert!(summary.serialization_failures > 0, "{summary:#?}");
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn a_serialization_failure_of_held_work_costs_the_work_and_not_the_session() {
    let going = finish(Scenario { isolation: Isolation::Serializable, jobs: 20, ..quick() }).await;
    let summary = going.world.summary();
    assert!(summary.serialization_failures > 0, "{summary:#?}");
    assert_eq!((summary.done, going.world.counters.sessions_lost), (20, 0), "{summary:#?}");
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn lock_timeout_is_told_from_nowait_though_both_are_55p03() {
    let base = Scenario { jobs: 4, workers: 3, work_ms: 200, lock_error_backoff_ms: 30, ..quick() };
    let timeout = finish(Scenario { mode: Mode::ForUpdate, lock_timeout_ms: 40, ..base.clone() }).await;
    assert!(timeout.world.counters.refused(RefusalKind::LockTimeout) > 0);
    assert_eq!(timeout.world.counters.refused(RefusalKind::Nowait), 0);
    let nowait = finish(Scenario { mode: Mode::Nowait, ..base }).await;
    assert!(nowait.world.counters.refused(RefusalKind::Nowait) > 0);
    assert_eq!(nowait.world.counters.refused(RefusalKind::LockTimeout), 0);
    assert_eq!(nowait.world.counters.waits, 0, "NOWAIT never waits for a row");
}

#[tokio::test]
async fn failures_are_retried_and_end_as_dead_letters() {
    let going = finish(Scenario {
        shape: Shape::ClaimCommit,
        fail_probability: 0.5,
        max_attempts: 2,
        retry_backoff_ms: 400,
        ..quick()
    })
    .await;
    let summary = going.world.summary();
    // What the seed holds for first and second deliveries decides, and nothing else.
    let scenario = going.world.scenario.as_deref().expect("a scenario");
    let fails =
        |job, delivery| fate::fate(scenario, rowlock_shared::ids::JobId(job), delivery).outcome == fate::Outcome::Fail;
    let dead = (1..=60).filter(|job| fails(*job, 1) && fails(*job, 2)).count() as u32;
    let retried = (1..=60).filter(|job| fails(*job, 1)).count() as u32;
    assert_eq!((summary.failed, summary.dead_letters, summary.retries), (dead, dead, retried), "{summary:#?}");
    assert_eq!(summary.done, 60 - dead);
    assert!(dead > 0 && summary.empty_not_due > 0, "{summary:#?}");
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn an_idempotency_key_makes_a_repeat_harmless() {
    let naive = Scenario { mode: Mode::Naive, shape: Shape::ClaimCommit, idempotency_key: true, effects: 3, ..quick() };
    let going = finish(naive).await;
    let summary = going.world.summary();
    assert!(summary.ran_again > 0, "the jobs still run twice: {summary:#?}");
    assert_eq!((summary.duplicates, summary.effects), (0, 180), "{summary:#?}");
    assert_eq!(summary.suppressed, summary.ran_again * 3, "{summary:#?}");
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn an_open_snapshot_keeps_dead_rows_from_vacuum() {
    for open_snapshot in [false, true] {
        let mut going = start_alone(Scenario { open_snapshot, shape: Shape::ClaimCommit, ..quick() }).await;
        // One worker stands still, so that the run is not over when its jobs are.
        let worker = Some(rowlock_shared::ids::WorkerId(6));
        going.run.intervene(Intervention::Break { worker, point: Point::BeforeClaim });
        going.until("60 jobs done", |world, _| world.count(JobState::Done) == 60).await;
        let mut person = going.stranger().await;
        person.execute("CREATE EXTENSION pgstattuple SCHEMA rowlock").await.expect("contrib is there");
        person.execute("VACUUM jobs").await.expect("vacuums");
        let dead: i64 = sqlx::query_scalar("SELECT dead_tuple_count FROM pgstattuple('jobs')")
            .fetch_one(&mut person)
            .await
            .expect("pgstattuple");
        going.run.stop();
        going.end().await;
        match open_snapshot {
            false => assert_eq!(dead, 0, "dead rows stayed although no snapshot was open"),
            true => assert!(dead >= 120, "{dead}: two status changes a job leave two dead rows"),
        }
    }
}

#[tokio::test]
async fn history_without_an_index_is_read_by_every_poll() {
    let with_history = Scenario { history: 20_000, partial_index: false, jobs: 10, ..quick() };
    let going = finish(with_history).await;
    assert_eq!(going.world.summary().done, 10);
    assert_eq!(going.count("SELECT count(*) FROM jobs WHERE id >= 1000000").await, 20_000);
    assert_eq!(
        going
            .count("SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'jobs_queued'")
            .await,
        0
    );
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn the_claims_order_is_the_knobs_order() {
    let going =
        finish(Scenario { order: Order::PriorityRunAtId, priorities: 5, workers: 1, jobs: 40, work_ms: 0, ..quick() })
            .await;
    let begun: Vec<_> = going
        .events
        .iter()
        .filter_map(|event| match event.what {
            What::WorkBegan { job, .. } => Some(job),
            _ => None,
        })
        .collect();
    let scenario = going.world.scenario.as_deref().expect("a scenario");
    let mut expected = begun.clone();
    expected.sort_by_key(|job| (fate::priority(scenario, *job), *job));
    assert_eq!(begun, expected);
    assert_eq!(going.world.counters.inversions, 0);
}

#[tokio::test]
async fn throughput_runs_without_evidence_and_observer_say_what_they_do_not_know() {
    let going = finish(Scenario { evidence: false, observer: false, ..quick() }).await;
    let summary = going.world.summary();
    assert_eq!((summary.skips, summary.rechecks, summary.done), (None, None, 60));
    assert_eq!(summary.waits, 0);
    assert!(going.world.counters.empties(EmptyReason::Unknown) > 0);
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn a_time_scale_shrinks_leases_and_holds_alike() {
    // A 30 s hold and a 5 min lease, 600 times faster.
    let going = finish(Scenario {
        shape: Shape::ClaimCommit,
        time_scale: 600.0,
        work_ms: 30_000,
        lease_ms: 300_000,
        reaper: true,
        reaper_period_ms: 10_000,
        crash_probability: 0.4,
        jobs: 12,
        workers: 4,
        max_attempts: 50,
        restart_delay_ms: 60_000,
        ..Scenario::default()
    })
    .await;
    let summary = going.world.summary();
    assert_eq!((summary.done, summary.ended), (12, Some(EndReason::Quiescent)), "{summary:#?}");
    assert!(summary.reaped > 0);
    let ages = going.events.iter().filter_map(|event| match event.what {
        What::Reaped { age_us, .. } => Some(age_us),
        _ => None,
    });
    assert!(ages.min().is_some_and(|age| age >= 500_000), "no lease is cut short: 300 s / 600 = 0.5 s");
}
