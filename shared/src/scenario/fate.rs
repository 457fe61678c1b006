//! Arrivals, durations and fates: pure functions of the seed.
//!
//! They depend on (seed, job, delivery) and never on which worker came first, so that the same seed gives the same
//! workload in every mode and on every engine. Only integer arithmetic and `libm` are used: `ln` and `exp` of the
//! platform differ between native code and WebAssembly.

use super::{Arrival, Backoff, CrashPoint, Scenario, WorkTime};
use crate::ids::{JobId, WorkerId};
use serde::{Deserialize, Serialize};

/// How an attempt ends if nothing else interferes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The work succeeds.
    Succeed,
    /// The work fails after its full duration, before any effect.
    Fail,
    /// The worker stops moving half-way, its connection open and silent.
    Hang,
    /// The worker crashes here.
    Crash(CrashPoint),
}

/// What the seed holds for one delivery of one job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fate {
    /// Duration of the work in scenario ms.
    pub work_ms: f64,
    /// Its end.
    pub outcome: Outcome,
}

/// Independent streams of numbers under one seed.
#[derive(Clone, Copy)]
enum Stream {
    Arrival = 1,
    Priority = 2,
    Duration = 3,
    Outcome = 4,
    Point = 5,
    Jitter = 6,
    Poll = 7,
}

/// SplitMix64's finalizer: every bit of the input moves every bit of the output.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn draw(seed: u64, stream: Stream, a: u64, b: u64) -> u64 {
    let golden = 0x9e37_79b9_7f4a_7c15u64;
    let step = |state: u64, word: u64| mix(state.wrapping_add(golden).wrapping_add(word.wrapping_mul(golden)));
    step(step(step(mix(seed), stream as u64), a), b)
}

/// A number in [0, 1) with 53 random bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// Exponential with mean 1.
fn exponential(bits: u64) -> f64 {
    -libm::log(1.0 - unit(bits))
}

/// Standard normal (Box and Muller), from two draws.
fn normal(first: u64, second: u64) -> f64 {
    libm::sqrt(-2.0 * libm::log(1.0 - unit(first))) * libm::cos(2.0 * core::f64::consts::PI * unit(second))
}

/// The fate of a job's `delivery`-th delivery (from 1), counted outside the database: a crash that rolls back resets
/// `attempts` and would otherwise meet the same fate for ever.
pub fn fate(scenario: &Scenario, job: JobId, delivery: u32) -> Fate {
    let (job, delivery) = (u64::from(job.0), u64::from(delivery));
    let bits = |stream| draw(scenario.seed, stream, job, delivery);
    let mean = f64::from(scenario.work_ms);
    let work_ms = match scenario.work {
        WorkTime::Constant => mean,
        WorkTime::Uniform => {
            let spread = f64::from(scenario.work_spread_percent) / 100.0;
            mean * (1.0 + spread * (2.0 * unit(bits(Stream::Duration)) - 1.0))
        }
        WorkTime::Exponential => mean * exponential(bits(Stream::Duration)),
        WorkTime::Lognormal => {
            let second = draw(scenario.seed, Stream::Duration, job, delivery | 1 << 40);
            mean * libm::exp(scenario.work_sigma * normal(bits(Stream::Duration), second))
        }
    };
    let x = unit(bits(Stream::Outcome));
    let fail = scenario.fail_probability;
    let hang = fail + scenario.hang_probability;
    let crash = hang + scenario.crash_probability;
    let outcome = if x < fail {
        Outcome::Fail
    } else if x < hang {
        Outcome::Hang
    } else if x < crash && scenario.crash_point != CrashPoint::BeforeClaim {
        Outcome::Crash(crash_point(scenario.crash_point, bits(Stream::Point)))
    } else {
        Outcome::Succeed
    };
    Fate { work_ms, outcome }
}

fn crash_point(chosen: CrashPoint, bits: u64) -> CrashPoint {
    const AFTER_A_CLAIM: [CrashPoint; 5] = [
        CrashPoint::AfterClaim,
        CrashPoint::BeforeWork,
        CrashPoint::InWork,
        CrashPoint::AfterEffect,
        CrashPoint::AfterAck,
    ];
    match chosen {
        CrashPoint::Any => AFTER_A_CLAIM[(bits % 5) as usize],
        point => point,
    }
}

/// Whether this worker crashes before its `poll`-th claim. No job is known there, so this alone is drawn per worker.
pub fn crashes_before_claim(scenario: &Scenario, worker: WorkerId, poll: u32) -> bool {
    scenario.crash_point == CrashPoint::BeforeClaim
        && unit(draw(scenario.seed, Stream::Poll, u64::from(worker.0), u64::from(poll))) < scenario.crash_probability
}

/// When each job arrives, in µs of scenario time since the producer began: ascending, one entry a job.
pub fn arrivals(scenario: &Scenario) -> Vec<u64> {
    let gap_us = 1_000_000.0 / scenario.arrival_rate;
    let mut at = 0.0;
    (1..=u64::from(scenario.jobs))
        .map(|job| {
            match scenario.arrival {
                Arrival::Burst => {}
                Arrival::Constant => at += gap_us,
                Arrival::Poisson => at += gap_us * exponential(draw(scenario.seed, Stream::Arrival, job, 0)),
            }
            libm::round(at) as u64
        })
        .collect()
}

/// A job's priority class, 0 to `priorities` - 1; 0 goes first.
pub fn priority(scenario: &Scenario, job: JobId) -> u32 {
    (draw(scenario.seed, Stream::Priority, u64::from(job.0), 0) % u64::from(scenario.priorities.max(1))) as u32
}

/// Delay before the retry that follows the `attempt`-th attempt (from 1), in scenario ms.
pub fn retry_delay_ms(scenario: &Scenario, job: JobId, attempt: u32) -> f64 {
    let base = f64::from(scenario.retry_backoff_ms);
    let grown = match scenario.retry_backoff {
        Backoff::Constant => base,
        // Capped at an hour: a delay that no run can wait for says no more than one hour does.
        Backoff::Exponential => (base * libm::exp2(f64::from(attempt.clamp(1, 32) - 1))).min(3_600_000.0),
    };
    let jitter = f64::from(scenario.retry_jitter_percent) / 100.0;
    let bits = draw(scenario.seed, Stream::Jitter, u64::from(job.0), u64::from(attempt));
    grown * (1.0 - jitter * unit(bits))
}
