//! The knobs that are a choice among words.

use serde::{Deserialize, Serialize};

/// A knob's type that is a closed list of words.
pub trait Choice: Copy + Sized + 'static {
    /// Every value with the word that stands for it in files, on the command line and in the page's forms.
    const WORDS: &'static [(&'static str, Self)];
}

macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $word)] $variant,)+ }
        impl Choice for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $name::$variant),)+];
        }
        impl $name {
            /// The word that stands for the value.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }
    };
}

choice! {
    /// How a worker claims.
    Mode {
        /// SELECT, then UPDATE by id: two workers can claim the same job.
        Naive = "naive",
        /// The same, and the UPDATE asks again whether the job is still queued.
        NaiveGuarded = "naive-guarded",
        /// One statement, FOR UPDATE: workers queue up behind one row.
        ForUpdate = "for-update",
        /// One statement, FOR UPDATE SKIP LOCKED.
        SkipLocked = "skip-locked",
        /// One statement, FOR UPDATE NOWAIT: an error instead of a wait.
        Nowait = "nowait",
        /// `pg_try_advisory_xact_lock` in the filter, the UPDATE guarded by status.
        Advisory = "advisory",
        /// The same without the guard.
        AdvisoryUnguarded = "advisory-unguarded",
    }
}

choice! {
    /// Where the work stands in relation to the claiming transaction.
    Shape {
        /// The work is done inside the claiming transaction.
        Hold = "hold",
        /// Claim, commit, work, then a second short transaction that acknowledges.
        ClaimCommit = "claim-commit",
    }
}

choice! {
    /// How jobs reach the queue.
    Arrival {
        /// All at once, before the workers start.
        Burst = "burst",
        /// At equal distances.
        Constant = "constant",
        /// At exponentially distributed distances.
        Poisson = "poisson",
    }
}

choice! {
    /// After which fetch a worker sleeps for its poll interval.
    SleepAfter {
        /// After every one.
        Every = "every",
        /// Only after one that brought nothing.
        Empty = "empty",
    }
}

choice! {
    /// What ends an idle worker's sleep.
    WakeUp {
        /// The poll interval.
        Poll = "poll",
        /// A NOTIFY from the producer; the poll interval does not count.
        Notify = "notify",
        /// Whichever comes first.
        Both = "both",
    }
}

choice! {
    /// The claim's ORDER BY.
    Order {
        /// None.
        Unordered = "none",
        /// `run_at`: ties are open.
        RunAt = "run_at",
        /// `run_at, id`: a total order.
        RunAtId = "run_at,id",
        /// `priority, run_at, id`: a total order; the lower priority number goes first.
        PriorityRunAtId = "priority,run_at,id",
    }
}

choice! {
    /// The strength of the row lock that a claim takes.
    LockStrength {
        /// FOR UPDATE.
        Update = "update",
        /// FOR NO KEY UPDATE: lets foreign key checks pass.
        NoKeyUpdate = "no-key-update",
    }
}

choice! {
    /// The isolation level of the workers' transactions.
    Isolation {
        /// READ COMMITTED.
        ReadCommitted = "read-committed",
        /// REPEATABLE READ.
        RepeatableRead = "repeatable-read",
        /// SERIALIZABLE.
        Serializable = "serializable",
    }
}

choice! {
    /// Autovacuum of the run's jobs table.
    Autovacuum {
        /// Off for this table.
        Off = "off",
        /// As the server has it.
        Default = "default",
        /// Scale factor 0, threshold 100 rows, no cost delay.
        Tuned = "tuned",
    }
}

choice! {
    /// The distribution of the work's duration.
    WorkTime {
        /// Always `work_ms`.
        Constant = "constant",
        /// Uniform, `work_ms` ± `work_spread_percent`.
        Uniform = "uniform",
        /// Exponential with mean `work_ms`.
        Exponential = "exponential",
        /// Lognormal with median `work_ms` and shape `work_sigma`.
        Lognormal = "lognormal",
    }
}

choice! {
    /// Where in the protocol a worker crashes.
    CrashPoint {
        /// Before it claims; drawn for each (worker, poll), since no job is known yet.
        BeforeClaim = "before-claim",
        /// After the claim's statement, before its COMMIT.
        AfterClaim = "after-claim",
        /// After the claim's COMMIT (or, with work held in the transaction, after the claim), before the work.
        BeforeWork = "before-work",
        /// Half-way through the work.
        InWork = "in-work",
        /// After the effect is out in the world, before the ack.
        AfterEffect = "after-effect",
        /// After the ack's statement, before its COMMIT.
        AfterAck = "after-ack",
        /// One of the five that follow a claim, drawn for each attempt.
        Any = "any",
    }
}

choice! {
    /// How a crashed worker's connection ends.
    CrashMethod {
        /// The client's socket closes without a word; a statement in flight runs on.
        CloseSocket = "close-socket",
        /// Its backend is also ended with `pg_terminate_backend`.
        TerminateBackend = "terminate-backend",
    }
}

choice! {
    /// How the delay before a retry grows.
    Backoff {
        /// Always `retry_backoff_ms`.
        Constant = "constant",
        /// Doubles with each attempt.
        Exponential = "exponential",
    }
}

choice! {
    /// What an ack demands of the row besides its id.
    Fence {
        /// Nothing.
        Off = "off",
        /// Still processing, and by this worker.
        Owner = "owner",
        /// Still processing, by this worker, in this attempt.
        OwnerAttempt = "owner-attempt",
    }
}
