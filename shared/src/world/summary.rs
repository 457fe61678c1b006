//! A run in numbers: what the table at its end, the command line and the API show.

use super::{JobState, World};
use crate::event::{EmptyReason, EndReason, RefusalKind};
use serde::{Deserialize, Serialize};

/// A distribution in three figures and its greatest value, in µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Percentiles {
    /// Median.
    pub p50_us: u64,
    /// 95th percentile.
    pub p95_us: u64,
    /// 99th percentile.
    pub p99_us: u64,
    /// Greatest.
    pub max_us: u64,
    /// How many values.
    pub count: u32,
}

impl From<&super::Distribution> for Percentiles {
    fn from(d: &super::Distribution) -> Percentiles {
        let at = |p| d.percentile(p).unwrap_or(0);
        Percentiles { p50_us: at(0.5), p95_us: at(0.95), p99_us: at(0.99), max_us: d.max_us, count: d.count }
    }
}

/// The summary of a run. The first block can be told from the database's own tables and equals them; tests compare.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Jobs on the queue at the end, as committed.
    pub queued: u32,
    /// Jobs in processing.
    pub processing: u32,
    /// Jobs done.
    pub done: u32,
    /// Dead letters in the table.
    pub failed: u32,
    /// Effects in the ledger.
    pub effects: u32,
    /// Effects beyond the first of each (job, effect).
    pub duplicates: u32,

    /// Why it ended; absent while it runs.
    pub ended: Option<EndReason>,
    /// Last event's time, µs.
    pub elapsed_us: u64,
    /// Jobs done per second, up to the last ack.
    pub jobs_per_second: f64,
    /// Share of the workers' time spent at work, 0 to 1.
    pub busy: f64,
    /// Waits for a lock: at least so many.
    pub waits: u32,
    /// Time in them, µs.
    pub waited_us: u64,
    /// Rows passed over because they were locked; absent when the claim does not look.
    pub skips: Option<u32>,
    /// Rows passed over because they had changed; absent when the claim does not look.
    pub rechecks: Option<u32>,
    /// Errors of NOWAIT.
    pub nowait_errors: u32,
    /// lock_timeout.
    pub lock_timeouts: u32,
    /// Serialization failures.
    pub serialization_failures: u32,
    /// Deadlock victims.
    pub deadlocks: u32,
    /// Rounds lost to another worker.
    pub races_lost: u32,
    /// Works that ended with success beyond the first of each job.
    pub ran_again: u32,
    /// FIFO inversions.
    pub inversions: u32,
    /// Acks, retries and dead letters that changed 0 rows.
    pub stale_acks: u32,
    /// Retries.
    pub retries: u32,
    /// Jobs brought back or given up by the reaper.
    pub reaped: u32,
    /// Jobs given up.
    pub dead_letters: u32,
    /// Effects kept from repeating by an idempotency key.
    pub suppressed: u32,
    /// Crashes.
    pub crashes: u32,
    /// Hangs.
    pub hangs: u32,
    /// Polls.
    pub polls: u32,
    /// Empty claims: the queue was empty.
    pub empty_queue: u32,
    /// Empty claims: all locked.
    pub empty_locked: u32,
    /// Empty claims: nothing due.
    pub empty_not_due: u32,
    /// Empty claims: jobs came after the snapshot.
    pub empty_after_snapshot: u32,
    /// Empty claims: nobody looked.
    pub empty_unknown: u32,
    /// Statements answered.
    pub statements: u32,
    /// Dead tuples, an estimate of the statistics views.
    pub dead_tuples: i64,
    /// From being due to the claim.
    pub queue_wait: Percentiles,
    /// From arrival to the committed ack.
    pub total_time: Percentiles,
    /// A poll's round trip.
    pub poll_latency: Percentiles,
    /// Single waits.
    pub wait_time: Percentiles,
    /// Events.
    pub events: u64,
}

impl World {
    /// Jobs done per second, up to the last ack; 0 before it.
    pub fn jobs_per_second(&self) -> f64 {
        match self.counters.last_ack_at {
            0 => 0.0,
            at => f64::from(self.count(JobState::Done)) * 1_000_000.0 / at as f64,
        }
    }

    /// The run in numbers.
    pub fn summary(&self) -> Summary {
        let c = &self.counters;
        let looks = self.scenario.as_ref().is_some_and(|s| s.evidence && s.total_order());
        let workers = self.workers.len() as u32;
        Summary {
            queued: self.count(JobState::Queued),
            processing: self.count(JobState::Processing),
            done: self.count(JobState::Done),
            failed: self.count(JobState::Failed),
            effects: c.effects,
            duplicates: c.duplicates,
            ended: self.ended.as_ref().map(|(reason, _)| *reason),
            elapsed_us: self.at,
            jobs_per_second: self.jobs_per_second(),
            busy: c.busy_share(workers, self.at),
            waits: c.waits,
            waited_us: c.waited_us,
            skips: looks.then_some(c.skips),
            rechecks: looks.then_some(c.rechecks),
            nowait_errors: c.refused(RefusalKind::Nowait),
            lock_timeouts: c.refused(RefusalKind::LockTimeout),
            serialization_failures: c.refused(RefusalKind::Serialization),
            deadlocks: c.refused(RefusalKind::Deadlock),
            races_lost: c.races_lost,
            ran_again: c.ran_again,
            inversions: c.inversions,
            stale_acks: c.stale_acks,
            retries: c.retries,
            reaped: c.reaped,
            dead_letters: c.dead_letters,
            suppressed: c.suppressed,
            crashes: c.crashes,
            hangs: c.hangs,
            polls: c.polls,
            empty_queue: c.empties(EmptyReason::QueueEmpty),
            empty_locked: c.empties(EmptyReason::AllLocked),
            empty_not_due: c.empties(EmptyReason::NotYetDue),
            empty_after_snapshot: c.empties(EmptyReason::ArrivedAfterSnapshot),
            empty_unknown: c.empties(EmptyReason::Unknown),
            statements: c.statements,
            dead_tuples: self.table.dead,
            queue_wait: (&c.queue_wait).into(),
            total_time: (&c.total_time).into(),
            poll_latency: (&c.poll_latency).into(),
            wait_time: (&c.wait_time).into(),
            events: self.seq,
        }
    }
}
