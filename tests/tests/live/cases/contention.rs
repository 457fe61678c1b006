//! C05: locks held during work turn many workers into one; C06: NOWAIT without a fallback is a storm of retries.

use super::{claims, go_on, most_at_work, standing, stop_at};
use crate::server::{Going, finish, start};
use rowlock_shared::event::{EmptyReason, Event, RefusalKind, What};
use rowlock_shared::ids::JobId;
use rowlock_shared::program::Point;
use rowlock_shared::scenario::{Mode, Scenario, Shape};
use rowlock_shared::sql::StatementId;

const WORKERS: u32 = 4;

fn crowd(mode: Mode, shape: Shape) -> Scenario {
    Scenario { mode, shape, jobs: 40, workers: WORKERS, work_ms: 3, poll_interval_ms: 5, ..Scenario::default() }
}

async fn all_at_work_at_once(mode: Mode, shape: Shape) -> Going {
    let mut going = start(crowd(mode, shape)).await;
    stop_at(&going, Point::InWork);
    going.until("four at work", |world, _| standing(world, Point::InWork) == WORKERS as usize).await;
    let mut claimed = claims(&going);
    claimed.sort_unstable();
    assert_eq!(claimed, [1, 2, 3, 4].map(|id| (JobId(id), 1)), "each worker its own row");
    go_on(&going, Point::InWork);
    going.end().await;
    going
}

#[tokio::test]
async fn c05_for_update_held_during_work_never_has_two_at_work_at_once() {
    let mut going = start(crowd(Mode::ForUpdate, Shape::Hold)).await;
    stop_at(&going, Point::InWork);
    going.until("three waiters", |world, _| world.waiting() == WORKERS as usize - 1).await;
    assert_eq!(standing(&going.world, Point::InWork), 1, "one works");
    assert_eq!(going.world.jobs.len(), 40, "and 39 rows are free");
    go_on(&going, Point::InWork);
    going.end().await;
    let summary = going.world.summary();
    assert_eq!((most_at_work(&going), summary.done, summary.duplicates), (1, 40, 0), "{summary:#?}");
    assert!(summary.waits >= 3 && summary.rechecks.is_some_and(|rechecks| rechecks >= 3), "{summary:#?}");
    let falsely = [EmptyReason::AllLocked, EmptyReason::ArrivedAfterSnapshot];
    assert_eq!(falsely.map(|reason| going.world.counters.empties(reason)), [0, 0], "it waits, it does not give up");
}

#[tokio::test]
async fn c05_skip_locked_has_everyone_at_work_at_once() {
    let going = all_at_work_at_once(Mode::SkipLocked, Shape::Hold).await;
    let summary = going.world.summary();
    assert_eq!((most_at_work(&going), summary.done, summary.duplicates), (4, 40, 0), "{summary:#?}");
    assert_eq!(summary.waits, 0, "{summary:#?}");
}

#[tokio::test]
async fn c05_the_convoy_is_about_the_time_of_the_hold_and_not_about_the_keyword() {
    let going = all_at_work_at_once(Mode::ForUpdate, Shape::ClaimCommit).await;
    assert_eq!((most_at_work(&going), going.world.summary().done), (4, 40));
}

fn refused(event: &Event) -> bool {
    matches!(&event.what, What::Returned { refusal: Some(refusal), .. } if refusal.kind == RefusalKind::Nowait)
}

#[tokio::test]
async fn c06_nowait_retries_in_a_storm_and_rolls_back_every_time() {
    let scenario = Scenario { lock_error_backoff_ms: 2, ..crowd(Mode::Nowait, Shape::Hold) };
    let mut going = start(scenario.clone()).await;
    stop_at(&going, Point::InWork);
    // As long as one works, everyone else asks for the same head row again and again: 39 others are free.
    going.until("a storm", |world, _| world.counters.refused(RefusalKind::Nowait) >= 60).await;
    assert_eq!(standing(&going.world, Point::InWork), 1);
    assert_eq!(claims(&going), [(JobId(1), 1)]);
    go_on(&going, Point::InWork);
    going.end().await;
    let counters = &going.world.counters;
    assert_eq!((going.world.summary().done, counters.duplicates, counters.waits), (40, 0, 0));

    // The very next statement after a refusal is that session's ROLLBACK.
    for (n, event) in going.events.iter().enumerate().filter(|(_, event)| refused(event)) {
        let mut later = going.events[n + 1..].iter().filter(|next| next.who == event.who);
        let next = later.find_map(|next| match next.what {
            What::Sent { statement } => Some(statement),
            _ => None,
        });
        assert!(matches!(next, Some(StatementId::Rollback) | None), "{next:?} after {event:?}");
    }

    let skipping = finish(Scenario { mode: Mode::SkipLocked, ..scenario }).await;
    assert_eq!((skipping.world.summary().done, skipping.world.summary().nowait_errors), (40, 0));
    assert_eq!(skipping.world.counters.rollbacks, 0);
}

#[tokio::test]
async fn c06_an_unhindered_run_wastes_more_rounds_than_it_has_jobs() {
    let scenario = Scenario { work_ms: 15, lock_error_backoff_ms: 2, ..crowd(Mode::Nowait, Shape::Hold) };
    let going = finish(scenario).await;
    let summary = going.world.summary();
    assert_eq!((most_at_work(&going), summary.done), (1, 40), "the throughput of a convoy: {summary:#?}");
    assert!(summary.nowait_errors > 40, "{summary:#?}");
    assert_eq!(going.world.counters.rollbacks, summary.nowait_errors);
}
