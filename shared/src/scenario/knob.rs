//! The knobs: one table from which the struct, its defaults, its bounds, the page's form and the README's list come.

use super::choice::*;
use serde::{Deserialize, Serialize};

/// What a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A count.
    Count,
    /// Milliseconds.
    Ms,
    /// Jobs per second.
    PerSecond,
    /// Per cent.
    Percent,
    /// A probability, 0 to 1.
    Probability,
    /// A factor.
    Factor,
    /// A number without a meaning of its own, such as the seed.
    Plain,
}

/// The kind of value that a knob takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// On or off.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number within bounds, both included.
    Whole {
        /// Least value.
        min: u64,
        /// Greatest value.
        max: u64,
        /// Unit.
        unit: Unit,
    },
    /// A number within bounds, both included.
    Real {
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
        /// Unit.
        unit: Unit,
    },
}

/// The part of the form that a knob belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The claim's statement and transaction.
    Claim,
    /// The queue and its table.
    Queue,
    /// The workers' rhythm.
    Workers,
    /// The work and what becomes of it.
    Work,
    /// Leases, reaper, fences.
    Lease,
    /// The run as a whole.
    Run,
}

/// One knob.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Knob {
    /// The field's name in a scenario file and on the command line.
    pub name: &'static str,
    /// Its part of the form.
    pub group: Group,
    /// Whether it is shown at once (others are under "more").
    pub main: bool,
    /// What it takes.
    pub kind: Kind,
}

/// Whole numbers up to this one survive JSON readers that know only doubles.
pub const MAX_SEED: u64 = 9_007_199_254_740_991;

macro_rules! knobs {
    (@kind switch) => { Kind::Switch };
    (@kind choice $ty:ty) => { Kind::Choice({
        const WORDS: [&str; <$ty as Choice>::WORDS.len()] = {
            let mut words = [""; <$ty as Choice>::WORDS.len()];
            let mut i = 0;
            while i < words.len() { words[i] = <$ty as Choice>::WORDS[i].0; i += 1; }
            words
        };
        &WORDS
    }) };
    (@kind whole $min:tt $max:tt $unit:ident) => { Kind::Whole { min: $min, max: $max, unit: Unit::$unit } };
    (@kind real $min:tt $max:tt $unit:ident) => { Kind::Real { min: $min, max: $max, unit: Unit::$unit } };
    ($($(#[$meta:meta])* $group:ident $main:literal $name:ident: $ty:ty = $default:expr, $kind:ident($($arg:tt)*);)+) => {
        /// Everything that decides a run. A flat record: a JSON object with any of these fields; what is left out has
        /// its default, a field that is not listed is refused.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Scenario { $($(#[$meta])* pub $name: $ty,)+ }

        impl Default for Scenario {
            fn default() -> Self { Scenario { $($name: $default,)+ } }
        }

        /// Every knob, in the order of the form.
        pub const KNOBS: &[Knob] = &[$(Knob {
            name: stringify!($name), group: Group::$group, main: $main, kind: knobs!(@kind $kind $($arg)*),
        },)+];
    };
}

knobs! {
    /// How workers claim.
    Claim true mode: Mode = Mode::SkipLocked, choice(Mode);
    /// Where the work stands in relation to the claiming transaction.
    Claim true shape: Shape = Shape::Hold, choice(Shape);
    /// The claim's ORDER BY.
    Claim true order: Order = Order::RunAtId, choice(Order);
    /// Most jobs a claim takes.
    Claim true batch: u32 = 1, whole(1 100 Count);
    /// The strength of the claim's row lock.
    Claim false lock_strength: LockStrength = LockStrength::Update, choice(LockStrength);
    /// Isolation level of the workers' transactions.
    Claim false isolation: Isolation = Isolation::ReadCommitted, choice(Isolation);
    /// Whether the claim also reads which rows it passed over, and looks again when it was empty.
    Claim false evidence: bool = true, switch();
    /// Whether the claim leaves out jobs that have no attempt left.
    Claim false claim_checks_attempts: bool = false, switch();
    /// `lock_timeout`, in scenario time; 0 = none.
    Claim false lock_timeout_ms: u32 = 0, whole(0 600000 Ms);
    /// `idle_in_transaction_session_timeout`, in scenario time; 0 = none.
    Claim false idle_in_transaction_timeout_ms: u32 = 0, whole(0 600000 Ms);

    /// Jobs of the run.
    Queue true jobs: u32 = 20, whole(1 10000 Count);
    /// How they arrive.
    Queue true arrival: Arrival = Arrival::Burst, choice(Arrival);
    /// Rate of arrival (constant and Poisson), in scenario time.
    Queue true arrival_rate: f64 = 10.0, real(0.1 1000.0 PerSecond);
    /// Classes of priority; a job's class is drawn from the seed.
    Queue false priorities: u32 = 1, whole(1 10 Count);
    /// Done jobs in the table before the run starts.
    Queue false history: u32 = 0, whole(0 1000000 Count);
    /// The partial index on queued jobs that fits the order.
    Queue false partial_index: bool = true, switch();
    /// A bystander's REPEATABLE READ transaction, open for the whole run.
    Queue false open_snapshot: bool = false, switch();
    /// Autovacuum of the jobs table.
    Queue false autovacuum: Autovacuum = Autovacuum::Default, choice(Autovacuum);

    /// Workers.
    Workers true workers: u32 = 5, whole(1 64 Count);
    /// Sleep between polls, in scenario time.
    Workers true poll_interval_ms: u32 = 100, whole(1 60000 Ms);
    /// After which fetch a worker sleeps.
    Workers false sleep_after: SleepAfter = SleepAfter::Empty, choice(SleepAfter);
    /// What ends an idle worker's sleep.
    Workers false wake_up: WakeUp = WakeUp::Poll, choice(WakeUp);
    /// Pause after a lock error before the next try, in scenario time.
    Workers false lock_error_backoff_ms: u32 = 20, whole(1 60000 Ms);
    /// Delay until a crashed worker is back, in scenario time.
    Workers false restart_delay_ms: u32 = 1000, whole(0 600000 Ms);
    /// How a crashed worker's connection ends.
    Workers false crash_method: CrashMethod = CrashMethod::CloseSocket, choice(CrashMethod);
    /// `client_connection_check_interval`, in scenario time; 0 = off, as PostgreSQL ships it.
    Workers false client_connection_check_ms: u32 = 0, whole(0 600000 Ms);

    /// Distribution of the work's duration.
    Work true work: WorkTime = WorkTime::Constant, choice(WorkTime);
    /// Duration of the work (mean; lognormal: median), in scenario time.
    Work true work_ms: u32 = 800, whole(0 600000 Ms);
    /// Uniform work: half width, in per cent of `work_ms`.
    Work false work_spread_percent: u32 = 50, whole(0 100 Percent);
    /// Lognormal work: standard deviation of the logarithm.
    Work false work_sigma: f64 = 0.5, real(0.0 3.0 Factor);
    /// Effects of a job: 1 = mail, 2 = and cashback, 3 = and analytics.
    Work false effects: u32 = 1, whole(0 3 Count);
    /// Probability that an attempt fails.
    Work true fail_probability: f64 = 0.0, real(0.0 1.0 Probability);
    /// Probability that an attempt crashes its worker.
    Work true crash_probability: f64 = 0.0, real(0.0 1.0 Probability);
    /// Probability that an attempt hangs for ever, its connection open and silent.
    Work false hang_probability: f64 = 0.0, real(0.0 1.0 Probability);
    /// Where a crash happens.
    Work false crash_point: CrashPoint = CrashPoint::InWork, choice(CrashPoint);
    /// Attempts before a job is given up.
    Work false max_attempts: u32 = 3, whole(1 100 Count);
    /// Whether a job without attempts left becomes a dead letter (`failed`); otherwise it is queued again for ever.
    Work false dead_letter: bool = true, switch();
    /// How the delay before a retry grows.
    Work false retry_backoff: Backoff = Backoff::Exponential, choice(Backoff);
    /// Delay before the first retry, in scenario time.
    Work false retry_backoff_ms: u32 = 200, whole(0 600000 Ms);
    /// Random part of that delay.
    Work false retry_jitter_percent: u32 = 0, whole(0 100 Percent);

    /// The reaper, which returns jobs whose lease has run out.
    Lease true reaper: bool = false, switch();
    /// Its period, in scenario time.
    Lease false reaper_period_ms: u32 = 500, whole(10 600000 Ms);
    /// The lease: longest time in `processing` without a sign of life, in scenario time.
    Lease true lease_ms: u32 = 3000, whole(10 3600000 Ms);
    /// Whether the reaper gives up jobs without attempts left (otherwise it queues them again all the same).
    Lease false reaper_checks_attempts: bool = true, switch();
    /// Heartbeats, which extend the lease of a job in work. With work held in the transaction none are sent: the lock is the lease.
    Lease false heartbeat: bool = false, switch();
    /// Their period, in scenario time.
    Lease false heartbeat_period_ms: u32 = 500, whole(10 600000 Ms);
    /// What an ack demands of the row.
    Lease true fence: Fence = Fence::Off, choice(Fence);
    /// Idempotency key on every effect.
    Lease true idempotency_key: bool = false, switch();

    /// The seed of arrivals, durations and fates.
    Run true seed: u64 = 42, whole(0 MAX_SEED Plain);
    /// Live runs only: every duration of the scenario is divided by this factor.
    Run false time_scale: f64 = 1.0, real(1.0 1000.0 Factor);
    /// Longest duration of a run, in real time.
    Run false time_limit_ms: u32 = 60_000, whole(100 600000 Ms);
    /// The observer, which reads locks and waits from the system views.
    Run false observer: bool = true, switch();
    /// Its shortest period, in real time.
    Run false observer_period_ms: u32 = 20, whole(5 1000 Ms);
}
