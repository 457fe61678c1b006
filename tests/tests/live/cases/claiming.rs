//! C01: SELECT, then UPDATE runs jobs twice; a compare-and-set makes it safe and wastes attempts.

use super::{claims, go_on, standing, stop_at};
use crate::modes::counters_equal_the_tables;
use crate::server::{Going, finish, start};
use rowlock_shared::event::What;
use rowlock_shared::ids::JobId;
use rowlock_shared::program::Point;
use rowlock_shared::scenario::{Mode, Scenario, Shape};

fn race(mode: Mode) -> Scenario {
    Scenario { mode, shape: Shape::ClaimCommit, jobs: 1, workers: 2, work_ms: 0, ..Scenario::default() }
}

/// Both workers have read job 1 as queued before either of them writes.
async fn both_read_the_same_row(mode: Mode) -> Going {
    let mut going = start(race(mode)).await;
    stop_at(&going, Point::AfterSelect);
    going.until("two readers", |world, _| standing(world, Point::AfterSelect) == 2).await;
    go_on(&going, Point::AfterSelect);
    going.end().await;
    counters_equal_the_tables(&going).await;
    going
}

#[tokio::test]
async fn c01_two_naive_workers_who_read_the_same_row_both_run_it() {
    let going = both_read_the_same_row(Mode::Naive).await;
    assert_eq!(
        claims(&going),
        [(JobId(1), 1), (JobId(1), 2)],
        "the second overwrites the first, and no error tells it"
    );
    let summary = going.world.summary();
    assert_eq!((summary.ran_again, summary.duplicates, summary.races_lost), (1, 1, 0), "{summary:#?}");
    assert_eq!(summary.done, 1, "the table alone looks right");
    // The effect that repeats names the attempt that had it first.
    let repeats = going.world.effects.iter().filter(|effect| effect.repeats.is_some()).count();
    assert_eq!((going.world.effects.len(), repeats), (2, 1));
}

#[tokio::test]
async fn c01_guarded_the_loser_updates_no_row() {
    let going = both_read_the_same_row(Mode::NaiveGuarded).await;
    assert_eq!(claims(&going), [(JobId(1), 1)]);
    let lost: Vec<&Vec<JobId>> = going
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::RaceLost { jobs } => Some(jobs),
            _ => None,
        })
        .collect();
    assert_eq!(lost, [&[JobId(1)]]);
    let summary = going.world.summary();
    assert_eq!((summary.ran_again, summary.duplicates, summary.races_lost), (0, 0, 1), "{summary:#?}");
}

#[tokio::test]
async fn c01_counts_of_a_whole_run_tell_the_three_apart_though_the_status_does_not() {
    let scenario = |mode| Scenario { jobs: 80, workers: 8, work_ms: 2, poll_interval_ms: 5, ..race(mode) };
    let mut counted = Vec::new();
    for mode in [Mode::Naive, Mode::NaiveGuarded, Mode::SkipLocked] {
        let summary = finish(scenario(mode)).await.world.summary();
        assert_eq!(summary.done, 80, "{}", mode.word());
        counted.push((summary.ran_again, summary.races_lost));
    }
    let [(naive, 0), (0, lost), (0, 0)] = counted[..] else { panic!("(ran again, races lost): {counted:?}") };
    assert!(naive > 0 && lost > 0, "{counted:?}");
}
