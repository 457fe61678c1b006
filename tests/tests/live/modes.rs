//! Every mode in both shapes: 200 jobs, 8 workers. No job is lost, the safe modes repeat nothing, the others do, and every
//! counter that the tables can tell equals theirs.

use crate::server::{Going, finish};
use rowlock_shared::event::EndReason;
use rowlock_shared::scenario::{Choice, Mode, Scenario, Shape};

fn scenario(mode: Mode, shape: Shape) -> Scenario {
    // Some work, so that workers meet; little enough that a convoy of 200 is short.
    Scenario { mode, shape, jobs: 200, workers: 8, work_ms: 2, poll_interval_ms: 5, ..Scenario::default() }
}

/// The one list of what the tables can tell.
pub(crate) async fn counters_equal_the_tables(going: &Going) {
    let summary = going.world.summary();
    let told = [
        ("queued", summary.queued, "SELECT count(*) FROM jobs WHERE status = 'queued'"),
        ("processing", summary.processing, "SELECT count(*) FROM jobs WHERE status = 'processing'"),
        ("done", summary.done, "SELECT count(*) FROM jobs WHERE status = 'done' AND id < 1000000"),
        ("failed", summary.failed, "SELECT count(*) FROM jobs WHERE status = 'failed'"),
        ("effects", summary.effects, "SELECT count(*) FROM effects"),
        ("duplicates", summary.duplicates, "SELECT count(*) - count(DISTINCT (job_id, kind)) FROM effects"),
    ];
    for (name, counted, sql) in told {
        assert_eq!(counted, going.count(sql).await, "{name}");
    }
    let attempts = going.world.jobs.iter().map(|job| job.attempts).sum::<u32>();
    assert_eq!(
        attempts,
        going.count("SELECT coalesce(sum(attempts), 0) FROM jobs WHERE id < 1000000").await,
        "attempts"
    );
}

/// `repeats`: whether jobs must be done again; `None` where chance decides (see `knobs.rs` for a run that forces it).
async fn every_shape(mode: Mode, repeats: Option<bool>) {
    for (_, shape) in Shape::WORDS {
        let going = finish(scenario(mode, *shape)).await;
        let summary = going.world.summary();
        let name = format!("{} {}: {summary:#?}", mode.word(), shape.word());
        assert_eq!(summary.ended, Some(EndReason::Quiescent), "{name}");
        assert_eq!(summary.done, 200, "no job is lost: {name}");
        assert_eq!(going.world.counters.two_holders, 0, "never two holders of a row: {name}");
        match repeats {
            Some(true) => assert!(summary.duplicates > 0, "{name}"),
            Some(false) => assert_eq!((summary.duplicates, summary.ran_again), (0, 0), "{name}"),
            None => {}
        }
        counters_equal_the_tables(&going).await;
    }
}

#[tokio::test]
async fn naive_repeats() {
    every_shape(Mode::Naive, Some(true)).await;
}

#[tokio::test]
async fn naive_guarded_repeats_nothing() {
    every_shape(Mode::NaiveGuarded, Some(false)).await;
}

#[tokio::test]
async fn for_update_repeats_nothing() {
    every_shape(Mode::ForUpdate, Some(false)).await;
}

#[tokio::test]
async fn skip_locked_repeats_nothing() {
    every_shape(Mode::SkipLocked, Some(false)).await;
}

#[tokio::test]
async fn nowait_repeats_nothing() {
    every_shape(Mode::Nowait, Some(false)).await;
}

#[tokio::test]
async fn advisory_repeats_nothing() {
    every_shape(Mode::Advisory, Some(false)).await;
}

#[tokio::test]
async fn advisory_unguarded_loses_nothing() {
    every_shape(Mode::AdvisoryUnguarded, None).await;
}
