//! The reducer, message by message.

use super::*;
use rowlock_shared::event::{ClaimedJob, EndReason, Evidence, LockRow, WaitFor, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::scenario::Scenario;
use wasm_bindgen_test::wasm_bindgen_test;

const A: Actor = Actor::Worker(WorkerId(1));
const B: Actor = Actor::Worker(WorkerId(2));

/// A convoy of two: A works on row 1, B waits for it; then A is done.
fn story() -> Vec<Event> {
    let job = JobId(1);
    let claimed = ClaimedJob { job, attempt: 1, delivery: 1, passed: Vec::new() };
    let lock = LockRow {
        locktype: "transactionid".into(),
        mode: "ShareLock".into(),
        granted: false,
        relation: None,
        tuple: None,
        transactionid: Some("731".into()),
    };
    let scenario = Box::new(Scenario { workers: 2, jobs: 3, ..Scenario::default() });
    let wait = WaitFor::TransactionId;
    let told: Vec<(Actor, What)> = vec![
        (Actor::Run, What::RunBegan { scenario, engine: "PostgreSQL 15".into() }),
        (Actor::Producer, What::Enqueued { first: job, count: 3, priorities: Vec::new() }),
        (A, What::Claimed { jobs: vec![claimed] }),
        (A, What::WorkBegan { job, attempt: 1, delivery: 1, us: 2_000 }),
        (B, What::WaitBegan { wait, job: Some(job), blocked_by: vec![A], place: 1, since: 3_500, lock }),
        (A, What::WorkEnded { job, delivery: 1, ok: true }),
        (A, What::Effect { job, effect: "mail".into(), delivery: 1, repeats: None }),
        (A, What::Acked { job }),
        (A, What::Committed),
        (B, What::WaitEnded { us: 5_000 }),
        (Actor::Run, What::RunEnded { reason: EndReason::Quiescent, detail: String::new() }),
    ];
    let event = |(seq, (who, what))| Event { seq, at: seq * 1_000, who, evidence: Evidence::Executed, what };
    (1..).zip(told).map(event).collect()
}

fn events(events: &[Event]) -> News {
    News::Message(Box::new(ToViewer::Events { events: events.to_vec() }))
}

fn snapshot(of: &[Event], recent: &[Event]) -> News {
    let (world, recent) = (Box::new(World::fold(of)), recent.to_vec());
    News::Message(Box::new(ToViewer::Snapshot { version: VERSION, run: RunId(1), world, recent, dropped: 0 }))
}

#[wasm_bindgen_test]
fn batches_in_any_size_make_the_same_world() {
    let story = story();
    for size in 1..=story.len() {
        let mut store = Store::for_run(Some(RunId(1)));
        for batch in story.chunks(size) {
            store.reduce(events(batch), 0.0);
        }
        assert_eq!(store.world, World::fold(&story), "batches of {size}");
    }
}

#[wasm_bindgen_test]
fn repeated_events_are_passed_over() {
    let story = story();
    let mut store = Store::for_run(Some(RunId(1)));
    store.reduce(events(&story[..6]), 0.0);
    store.reduce(events(&story[3..]), 0.0);
    assert_eq!(store.world, World::fold(&story));
    let mut numbers: Vec<u64> = store.log.last(100, None).iter().map(|line| line.seq).collect();
    let told = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), told, "no line twice");
}

#[wasm_bindgen_test]
fn a_snapshot_in_the_middle_makes_the_same_world_and_opens_what_goes_on() {
    let story = story();
    for cut in 1..story.len() {
        let mut store = Store::for_run(Some(RunId(1)));
        store.reduce(snapshot(&story[..cut], &[]), 0.0);
        store.reduce(events(&story[cut..]), 0.0);
        assert_eq!(store.world, World::fold(&story), "cut after {cut}");
        let open = store.lanes.iter().flat_map(|(_, lane)| &lane.segments).any(|segment| segment.to.is_none());
        assert!(!open, "nothing goes on after the end (cut after {cut})");
    }
}

#[wasm_bindgen_test]
fn lanes_tell_work_wait_and_held_lock() {
    let mut store = Store::for_run(None);
    store.reduce(events(&story()), 0.0);
    let lanes: Vec<Vec<Segment>> =
        store.lanes.iter().map(|(_, lane)| lane.segments.iter().copied().collect()).collect();
    let segment = |kind, from, to| Segment { kind, from, to: Some(to) };
    assert_eq!(
        lanes,
        [
            vec![segment(SegmentKind::Hold, 3_000, 9_000), segment(SegmentKind::Work(JobId(1)), 4_000, 6_000)],
            vec![segment(SegmentKind::Wait(Some(JobId(1))), 3_500, 10_000)],
        ]
    );
}

#[wasm_bindgen_test]
fn a_broken_connection_keeps_what_was_seen() {
    let story = story();
    let mut store = Store::for_run(Some(RunId(1)));
    store.reduce(News::Link(Link::Live), 0.0);
    store.reduce(events(&story[..5]), 0.0);
    store.reduce(News::Link(Link::Reconnecting(1)), 0.0);
    assert_eq!(store.link, Link::Reconnecting(1));
    assert_eq!(store.world, World::fold(&story[..5]));
    assert_eq!(store.now(60_000.0), 5_000, "time does not run on while nothing is heard");
}

#[wasm_bindgen_test]
fn time_runs_on_between_events_and_stands_at_the_end() {
    let story = story();
    let mut store = Store::for_run(Some(RunId(1)));
    store.reduce(News::Link(Link::Live), 100.0);
    store.reduce(events(&story[..4]), 104.0);
    assert_eq!(store.now(105.5), 5_500);
    assert_eq!(store.now(90.0), 4_000, "never before the last event");
    store.reduce(events(&story[4..]), 120.0);
    assert_eq!(store.now(500.0), 11_000);
}

#[wasm_bindgen_test]
fn another_version_is_told() {
    let mut store = Store::for_run(Some(RunId(1)));
    let message = ToViewer::Snapshot {
        version: VERSION + 1,
        run: RunId(1),
        world: Box::new(World::new()),
        recent: Vec::new(),
        dropped: 7,
    };
    store.reduce(News::Message(Box::new(message)), 0.0);
    assert!(store.wrong_version);
    assert_eq!(store.dropped, 7);
}
