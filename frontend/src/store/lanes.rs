//! The timeline: what everyone did when, as a compact list a lane. Built from events alone.

use rowlock_shared::event::{Event, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::world::{Activity, World};
use std::collections::{BTreeMap, VecDeque};

/// Segments (and marks) that a lane keeps; older ones are dropped.
const KEPT: usize = 2_000;

/// What a stretch of time was spent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    /// At work on a job.
    Work(JobId),
    /// Waiting for a lock, on this row where it is known.
    Wait(Option<JobId>),
    /// A row's lock held.
    Hold,
    /// Hung with a job in hand.
    Hung(JobId),
    /// Crashed and not yet back.
    Down,
}

impl SegmentKind {
    /// Held locks run beside all else; of the others there is one at a time.
    fn is_hold(self) -> bool {
        self == SegmentKind::Hold
    }
}

/// A stretch of time, in µs of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) kind: SegmentKind,
    pub(crate) from: u64,
    /// Its end; none while it goes on.
    pub(crate) to: Option<u64>,
}

/// What a mark means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// A crash or a lost session.
    Crash,
    /// A statement that failed.
    Error,
    /// An effect that happened again.
    Duplicate,
    /// An ack that changed no row.
    Stale,
}

/// One lane.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Lane {
    /// In the order in which they began.
    pub(crate) segments: VecDeque<Segment>,
    /// In the order in which they happened.
    pub(crate) marks: VecDeque<(u64, MarkKind)>,
}

impl Lane {
    fn open(&mut self, kind: SegmentKind, from: u64) {
        // A wait inside of work (the ack waits for the reaper) interrupts nothing that is still open.
        if self.segments.len() == KEPT {
            self.segments.pop_front();
        }
        self.segments.push_back(Segment { kind, from, to: None });
    }

    fn close(&mut self, at: u64, which: impl Fn(SegmentKind) -> bool) {
        // What is open began lately: few look further back than a handful.
        for segment in self.segments.iter_mut().rev().take(64) {
            if segment.to.is_none() && which(segment.kind) {
                segment.to = Some(at.max(segment.from));
            }
        }
    }

    fn mark(&mut self, at: u64, kind: MarkKind) {
        if self.marks.len() == KEPT {
            self.marks.pop_front();
        }
        self.marks.push_back((at, kind));
    }

    fn has_open(&self, which: impl Fn(SegmentKind) -> bool) -> bool {
        self.segments.iter().rev().take(64).any(|segment| segment.to.is_none() && which(segment.kind))
    }
}

/// The lanes of the workers, in their order, then those of strangers who were seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Lanes {
    lanes: BTreeMap<Actor, Lane>,
}

impl Lanes {
    /// The lanes, workers first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Actor, &Lane)> {
        self.lanes.iter().map(|(who, lane)| (*who, lane))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Takes in one event.
    pub(crate) fn event(&mut self, event: &Event) {
        let (at, who) = (event.at, event.who);
        match &event.what {
            What::RunBegan { scenario, .. } => {
                self.lanes = (1..=scenario.workers).map(|n| (Actor::Worker(WorkerId(n)), Lane::default())).collect();
            }
            What::RunEnded { .. } => self.lanes.values_mut().for_each(|lane| lane.close(at, |_| true)),
            _ if !matches!(who, Actor::Worker(_) | Actor::Stranger { .. }) => {}
            what => Self::apply(self.lanes.entry(who).or_default(), at, what),
        }
    }

    fn apply(lane: &mut Lane, at: u64, what: &What) {
        match what {
            What::WorkBegan { job, .. } => {
                lane.close(at, |kind| !kind.is_hold());
                lane.open(SegmentKind::Work(*job), at);
            }
            What::WorkEnded { .. } => lane.close(at, |kind| matches!(kind, SegmentKind::Work(_))),
            What::Hung { job } => {
                lane.close(at, |kind| !kind.is_hold());
                lane.open(SegmentKind::Hung(*job), at);
            }
            What::WaitBegan { job, since, .. } => {
                lane.close(*since, |kind| matches!(kind, SegmentKind::Wait(_)));
                lane.open(SegmentKind::Wait(*job), *since);
            }
            What::WaitEnded { .. } => lane.close(at, |kind| matches!(kind, SegmentKind::Wait(_))),
            What::Claimed { jobs } if !jobs.is_empty() && !lane.has_open(SegmentKind::is_hold) => {
                lane.open(SegmentKind::Hold, at);
            }
            What::RowLocked { .. } if !lane.has_open(SegmentKind::is_hold) => lane.open(SegmentKind::Hold, at),
            What::RowReleased { .. } | What::Committed | What::RolledBack => lane.close(at, SegmentKind::is_hold),
            What::Crashed { .. } => {
                lane.close(at, |_| true);
                lane.mark(at, MarkKind::Crash);
                lane.open(SegmentKind::Down, at);
            }
            What::SessionLost { .. } => {
                lane.close(at, |_| true);
                lane.mark(at, MarkKind::Crash);
            }
            What::Restarted | What::Connected { .. } => lane.close(at, |kind| kind == SegmentKind::Down),
            What::Returned { refusal: Some(_), .. } => lane.mark(at, MarkKind::Error),
            What::Effect { repeats: Some(_), .. } => lane.mark(at, MarkKind::Duplicate),
            What::StaleAck { .. } => lane.mark(at, MarkKind::Stale),
            _ => {}
        }
    }

    /// Opens what a snapshot shows to be going on and no event told.
    pub(crate) fn adopt(&mut self, world: &World) {
        for worker in &world.workers {
            let lane = self.lanes.entry(Actor::Worker(worker.id)).or_default();
            if world.ended.is_some() {
                lane.close(world.at, |_| true);
                continue;
            }
            if let Activity::Working { job, since, .. } = worker.activity
                && !lane.has_open(|kind| kind == SegmentKind::Work(job))
            {
                lane.open(SegmentKind::Work(job), since);
            }
            if let Activity::Hung { job } = worker.activity
                && !lane.has_open(|kind| kind == SegmentKind::Hung(job))
            {
                lane.open(SegmentKind::Hung(job), worker.since);
            }
            if let Some(wait) = &worker.session.wait
                && !lane.has_open(|kind| matches!(kind, SegmentKind::Wait(_)))
            {
                lane.open(SegmentKind::Wait(wait.job), wait.since);
            }
            if let (Some(transaction), false) = (&worker.session.transaction, worker.session.holds.is_empty())
                && !lane.has_open(SegmentKind::is_hold)
            {
                lane.open(SegmentKind::Hold, transaction.since);
            }
        }
    }
}
