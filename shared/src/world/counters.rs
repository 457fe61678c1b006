//! Counters and distributions, each a fold of the events.

use crate::event::{EmptyReason, RefusalKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A distribution of durations: buckets that grow by a quarter octave, so that a percentile is right to about 10 %.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Distribution {
    // A list, not a map: inside a message that is told apart by a tag, serde reads no numbers as keys.
    buckets: Vec<u32>,
    /// How many values.
    pub count: u32,
    /// Their sum, µs.
    pub sum_us: u64,
    /// The greatest, µs.
    pub max_us: u64,
}

/// Buckets to an octave.
const STEPS: u32 = 4;

impl Distribution {
    /// Adds a duration in µs.
    pub fn add(&mut self, us: u64) {
        let bucket = bucket(us);
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
        self.sum_us += us;
        self.max_us = self.max_us.max(us);
    }

    /// The duration in µs that a share `p` (0 to 1) of the values does not exceed; `None` without values. Never more
    /// than the greatest value.
    pub fn percentile(&self, p: f64) -> Option<u64> {
        let rank = (f64::from(self.count) * p.clamp(0.0, 1.0)).ceil().max(1.0) as u32;
        let mut seen = 0;
        self.buckets.iter().zip(0..).find_map(|(count, bucket)| {
            seen += count;
            (seen >= rank).then(|| upper_bound(bucket).min(self.max_us))
        })
    }

    /// The mean in µs.
    pub fn mean(&self) -> Option<u64> {
        self.sum_us.checked_div(u64::from(self.count))
    }
}

/// Values 0 to 7 have a bucket each; above that an octave has [`STEPS`].
fn bucket(us: u64) -> usize {
    if us < 8 {
        return us as usize;
    }
    let octave = us.ilog2();
    let step = (us >> (octave - 2)) & 3;
    ((octave - 3) * STEPS) as usize + 8 + step as usize
}

fn upper_bound(bucket: u32) -> u64 {
    if bucket < 8 {
        return u64::from(bucket);
    }
    let (octave, step) = ((bucket - 8) / STEPS + 3, (bucket - 8) % STEPS);
    let unit = 1u64 << (octave - 2);
    (1u64 << octave) - 1 + unit * u64::from(step + 1)
}

/// What was counted so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Jobs put on the queue.
    pub enqueued: u32,
    /// Rounds begun.
    pub polls: u32,
    /// Claims that brought at least one job.
    pub claims: u32,
    /// Jobs that they brought.
    pub claimed: u32,
    /// Empty claims by reason.
    pub empty: BTreeMap<EmptyReason, u32>,
    /// Rounds lost to another worker (naive-guarded).
    pub races_lost: u32,
    /// Rows passed over because they were locked.
    pub skips: u32,
    /// Rows passed over because they had changed since the snapshot.
    pub rechecks: u32,
    /// Waits for a lock that were seen ("at least": short ones escape the observer).
    pub waits: u32,
    /// Time in them, µs.
    pub waited_us: u64,
    /// Errors by kind.
    pub refusals: BTreeMap<RefusalKind, u32>,
    /// Statements answered.
    pub statements: u32,
    /// Transactions committed by workers.
    pub commits: u32,
    /// Transactions rolled back by workers.
    pub rollbacks: u32,
    /// Works that ended with success.
    pub worked: u32,
    /// Those of them for a job whose work had already ended with success before.
    pub ran_again: u32,
    /// Works that failed.
    pub failures: u32,
    /// Effects.
    pub effects: u32,
    /// Those of them that repeat an earlier one.
    pub duplicates: u32,
    /// Effects that an idempotency key kept from being repeated.
    pub suppressed: u32,
    /// Acks that changed their row and were committed.
    pub acks: u32,
    /// Acks, retries and dead letters that changed 0 rows.
    pub stale_acks: u32,
    /// Jobs put back for a retry.
    pub retries: u32,
    /// Jobs given up, by a worker or by the reaper.
    pub dead_letters: u32,
    /// Jobs that the reaper brought back or gave up.
    pub reaped: u32,
    /// Leases extended.
    pub heartbeats: u32,
    /// Crashes.
    pub crashes: u32,
    /// Hangs.
    pub hangs: u32,
    /// Sessions that the server ended.
    pub sessions_lost: u32,
    /// Works begun on a job that stands before one already begun, in the claim's order.
    pub inversions: u32,
    /// Time at work, µs, over all workers.
    pub busy_us: u64,
    /// When the last job was acked for good, µs of the run.
    pub last_ack_at: u64,
    /// From being due to the first claim, per claim.
    pub queue_wait: Distribution,
    /// From arrival to the committed ack.
    pub total_time: Distribution,
    /// From the beginning of a round to its answer (jobs, nothing, or an error).
    pub poll_latency: Distribution,
    /// Single waits for a lock.
    pub wait_time: Distribution,
    /// Times that the fold met two holders of one row. Must stay 0.
    pub two_holders: u32,
}

impl Counters {
    /// Errors of one kind.
    pub fn refused(&self, kind: RefusalKind) -> u32 {
        self.refusals.get(&kind).copied().unwrap_or(0)
    }

    /// Empty claims of one kind.
    pub fn empties(&self, reason: EmptyReason) -> u32 {
        self.empty.get(&reason).copied().unwrap_or(0)
    }

    /// Jobs acked per second of the run, up to the last ack.
    pub fn jobs_per_second(&self) -> Option<f64> {
        (self.last_ack_at > 0).then(|| f64::from(self.acks) * 1_000_000.0 / self.last_ack_at as f64)
    }

    /// Share of the workers' time spent at work, 0 to 1.
    pub fn busy_share(&self, workers: u32, elapsed_us: u64) -> f64 {
        match u64::from(workers) * elapsed_us {
            0 => 0.0,
            all => self.busy_us as f64 / all as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_value_lies_within_its_bucket() {
        for us in (0..5000).chain([1 << 20, (1 << 40) + 12345, u64::MAX]) {
            let (own, last) = (bucket(us), bucket(us).checked_sub(1));
            assert!(us <= upper_bound(own as u32), "{us}");
            assert!(last.is_none_or(|last| upper_bound(last as u32) < us), "{us}");
        }
    }

    proptest! {
        #[test]
        fn percentiles_are_right_to_a_quarter(mut values in prop::collection::vec(0u64..10_000_000, 1..200), p in 0.0f64..1.0) {
            let mut distribution = Distribution::default();
            values.iter().for_each(|us| distribution.add(*us));
            values.sort_unstable();
            let rank = ((values.len() as f64 * p).ceil() as usize).clamp(1, values.len());
            let (exact, told) = (values[rank - 1], distribution.percentile(p).unwrap());
            prop_assert!(told >= exact && told as f64 <= exact as f64 * 1.25 + 1.0, "{} told as {}", exact, told);
            prop_assert!(told <= distribution.max_us);
            prop_assert_eq!(distribution.mean(), Some(values.iter().sum::<u64>() / values.len() as u64));
        }
    }

    #[test]
    fn nothing_has_no_percentile() {
        assert_eq!((Distribution::default().percentile(0.5), Distribution::default().mean()), (None, None));
    }
}
