//! C21: the reaper takes a job away from a live worker; C23: a crash in the last attempt leaves a job that nobody may claim.

use super::{claims, go_on, standing, stop_at};
use crate::modes::counters_equal_the_tables;
use crate::server::{Going, finish, start};
use rowlock_shared::event::{EndReason, Event, What};
use rowlock_shared::ids::JobId;
use rowlock_shared::program::Point;
use rowlock_shared::scenario::{CrashPoint, Fence, Scenario, Shape};
use rowlock_shared::sql::StatementId;
use rowlock_shared::world::JobState;

fn impatient(fence: Fence) -> Scenario {
    Scenario {
        shape: Shape::ClaimCommit,
        jobs: 1,
        workers: 3,
        work_ms: 0,
        poll_interval_ms: 5,
        reaper: true,
        reaper_period_ms: 10,
        lease_ms: 10,
        max_attempts: 100,
        fence,
        ..Scenario::default()
    }
}

/// Three workers are at work on the one job, because its lease is shorter than its work.
async fn three_at_work_on_one_job(fence: Fence) -> Going {
    let mut going = start(impatient(fence)).await;
    stop_at(&going, Point::InWork);
    going.until("three at work", |world, _| standing(world, Point::InWork) == 3).await;
    assert_eq!(claims(&going), [(JobId(1), 1), (JobId(1), 2), (JobId(1), 3)]);
    assert_eq!(going.world.job(JobId(1)).expect("the job").running.len(), 3, "overlapping runs of a healthy job");
    going
}

fn count(going: &Going, wanted: impl Fn(&Event) -> bool) -> usize {
    going.events.iter().filter(|event| wanted(event)).count()
}

#[tokio::test]
async fn c21_a_job_whose_lease_is_too_short_runs_three_times_and_ends_as_done() {
    let mut going = three_at_work_on_one_job(Fence::Off).await;
    go_on(&going, Point::InWork);
    going.end().await;
    let summary = going.world.summary();
    assert_eq!((summary.done, summary.ran_again, summary.duplicates), (1, 2, 2), "{summary:#?}");
    assert_eq!(count(&going, |event| matches!(event.what, What::Acked { .. })), 3, "each of them updated its row");
    assert_eq!(summary.stale_acks, 0, "{summary:#?}");
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn c21_with_a_fence_on_the_attempt_every_late_finish_is_stale() {
    let mut going = three_at_work_on_one_job(Fence::OwnerAttempt).await;
    // The third loses its lease as well: nobody is left to claim, and all three are late.
    going.until("the third rescue", |world, _| world.counters.reaped == 3).await;
    go_on(&going, Point::InWork);
    going.until("three late finishes", |world, _| world.counters.stale_acks >= 3).await;
    going.end().await;
    let summary = going.world.summary();
    assert_eq!(summary.done, 1, "in the end an attempt was quick enough: {summary:#?}");
    assert_eq!(count(&going, |event| matches!(event.what, What::Acked { .. })), 1);
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn c21_held_in_its_transaction_a_job_is_out_of_the_reaper_s_sight() {
    let mut going = start(Scenario { shape: Shape::Hold, ..impatient(Fence::Off) }).await;
    stop_at(&going, Point::InWork);
    going.until("one at work", |world, _| standing(world, Point::InWork) == 1).await;
    for _ in 0..10 {
        let looked = |event: &Event| matches!(event.what, What::Returned { statement: StatementId::Reap, .. });
        going.until("a look of the reaper", |_, event| looked(event)).await;
    }
    assert_eq!(claims(&going).len(), 1, "nor does any worker get it");
    go_on(&going, Point::InWork);
    going.end().await;
    let summary = going.world.summary();
    assert_eq!((summary.done, summary.reaped, summary.ran_again), (1, 0, 0), "{summary:#?}");
    let job = going.world.job(JobId(1)).expect("the job");
    assert_eq!((job.state, job.attempts), (JobState::Done, 1));
}

#[tokio::test]
async fn c21_heartbeats_outlast_the_lease() {
    let scenario = Scenario {
        reaper_period_ms: 100,
        lease_ms: 3_000,
        heartbeat: true,
        heartbeat_period_ms: 20,
        ..impatient(Fence::Off)
    };
    let lease_us = u64::from(scenario.lease_ms) * 1_000;
    let mut going = start(scenario).await;
    stop_at(&going, Point::InWork);
    going.until("one at work", |world, _| standing(world, Point::InWork) == 1).await;
    let since = going.world.at;
    going.until("more than a lease", |world, _| world.at > since + lease_us * 6 / 5).await;
    go_on(&going, Point::InWork);
    going.end().await;
    let summary = going.world.summary();
    assert_eq!((summary.done, summary.reaped, summary.ran_again), (1, 0, 0), "{summary:#?}");
}

/// Its only attempt crashes, and the reaper puts it back.
fn last_attempt(reaper_checks_attempts: bool) -> Scenario {
    Scenario {
        workers: 2,
        max_attempts: 1,
        crash_probability: 1.0,
        crash_point: CrashPoint::BeforeWork,
        restart_delay_ms: 10,
        claim_checks_attempts: true,
        reaper_checks_attempts,
        ..impatient(Fence::OwnerAttempt)
    }
}

#[tokio::test]
async fn c23_a_crash_in_the_last_attempt_leaves_a_job_that_is_queued_for_ever() {
    let going = finish(last_attempt(false)).await;
    let summary = going.world.summary();
    assert_eq!((summary.ended, summary.reaped), (Some(EndReason::Quiescent), 1), "{summary:#?}");
    assert_eq!((summary.queued, summary.done, summary.failed), (1, 0, 0), "{summary:#?}");
    assert_eq!(claims(&going), [(JobId(1), 1)]);
    let eligible = going.count("SELECT count(*) FROM jobs WHERE status = 'queued' AND attempts < max_attempts").await;
    assert_eq!(eligible, 0);
    // Workers looked for it after the rescue, and found nothing that they may claim.
    let rescued = going.events.iter().position(|event| matches!(event.what, What::Reaped { .. })).expect("a rescue");
    let empty = going.events[rescued..].iter().filter(|event| matches!(event.what, What::ClaimEmpty { .. })).count();
    assert!(empty >= 2);
    counters_equal_the_tables(&going).await;
}

#[tokio::test]
async fn c23_a_reaper_that_looks_at_the_attempts_gives_it_up() {
    let going = finish(last_attempt(true)).await;
    let summary = going.world.summary();
    assert_eq!((summary.queued, summary.failed, summary.dead_letters), (0, 1, 1), "{summary:#?}");
    assert!(going.events.iter().any(|event| matches!(event.what, What::Reaped { dead: true, .. })));
    counters_equal_the_tables(&going).await;
}
