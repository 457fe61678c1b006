//! What events are made of.

use crate::ids::{JobId, WorkerId};
use serde::{Deserialize, Serialize};

/// An error as the database reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What kind it is for a queue worker.
    pub kind: RefusalKind,
    /// The SQLSTATE; absent when the connection broke.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sqlstate: Option<String>,
    /// The server's routine that raised it: it tells NOWAIT from lock_timeout, both 55P03.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub routine: Option<String>,
    /// The server's own words, for people.
    pub message: String,
}

/// The kinds of errors that a queue worker meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// 55P03 from a NOWAIT.
    Nowait,
    /// 55P03 from lock_timeout.
    LockTimeout,
    /// 40001.
    Serialization,
    /// 40P01: chosen as the victim of a deadlock.
    Deadlock,
    /// 57014: cancelled, by statement_timeout or by a person.
    Cancelled,
    /// 25P03: idle in transaction for too long; the session is gone.
    IdleInTransaction,
    /// 57P01 and its like: the backend was ended by an administrator.
    Terminated,
    /// The connection broke.
    ConnectionLost,
    /// Anything else.
    Other,
}

impl RefusalKind {
    /// The kind of a server's error.
    ///
    /// NOWAIT and lock_timeout share SQLSTATE 55P03; the routine field tells them apart (`ProcessInterrupts` raises the
    /// timeout, `heapam.c` and `lock.c` raise NOWAIT's; seen on PostgreSQL 14 to 18). The text is localised and never read.
    pub fn of(sqlstate: Option<&str>, routine: Option<&str>) -> RefusalKind {
        match sqlstate {
            Some("55P03") if routine == Some("ProcessInterrupts") => RefusalKind::LockTimeout,
            Some("55P03") => RefusalKind::Nowait,
            Some("40001") => RefusalKind::Serialization,
            Some("40P01") => RefusalKind::Deadlock,
            Some("57014") => RefusalKind::Cancelled,
            Some("25P03") => RefusalKind::IdleInTransaction,
            Some("57P01" | "57P02" | "57P03" | "57P05") => RefusalKind::Terminated,
            Some(code) if code.starts_with("08") => RefusalKind::ConnectionLost,
            _ => RefusalKind::Other,
        }
    }

    /// Whether the same statement may succeed on the same session later.
    pub fn may_pass(self) -> bool {
        !self.ends_session() && self != RefusalKind::Other
    }

    /// Whether the session is gone with it.
    pub fn ends_session(self) -> bool {
        matches!(self, RefusalKind::IdleInTransaction | RefusalKind::Terminated | RefusalKind::ConnectionLost)
    }
}

/// Why a claim brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyReason {
    /// No queued job at all.
    QueueEmpty,
    /// Queued and due jobs were there, each of them locked by another: judged by `queued_at` against the beginning of the
    /// transaction, so a job that was inserted before it and committed just after the claim's snapshot counts here too.
    AllLocked,
    /// Queued jobs are there, none of them due.
    NotYetDue,
    /// A due job came on the queue after the claim had taken its snapshot.
    ArrivedAfterSnapshot,
    /// Nobody looked (the evidence knob is off).
    Unknown,
}

/// A job as a claim handed it over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedJob {
    /// The job.
    pub job: JobId,
    /// `attempts` after the claim.
    pub attempt: u32,
    /// How often this run has handed the job out, counted outside the database.
    pub delivery: u32,
    /// Queued jobs ahead of it that the claim passed over, by the statement's own snapshot: locked by another (skip) or
    /// changed since (recheck). Empty also when the claim does not look (evidence off, or no total order).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub passed: Vec<JobId>,
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitFor {
    /// The end of another transaction: first in the row's queue.
    TransactionId,
    /// The heavyweight tuple lock: behind another waiter of the same row.
    Tuple,
    /// A table lock.
    Relation,
    /// An advisory lock.
    Advisory,
    /// Something else that pg_locks names.
    Other,
}

/// Why a worker pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PauseReason {
    /// Poll interval, after an empty claim or every fetch.
    Poll,
    /// Backing off after a lock error.
    Backoff,
    /// Waiting for a NOTIFY.
    Notify,
}

/// How an effect was known to repeat an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The worker of the earlier attempt.
    pub worker: WorkerId,
    /// Its delivery.
    pub delivery: u32,
}

/// The table in numbers, as the statistics views have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableStats {
    /// `n_live_tup`, an estimate.
    pub live: i64,
    /// `n_dead_tup`, an estimate that lags by seconds.
    pub dead: i64,
    /// `n_tup_upd`.
    pub updated: i64,
    /// `n_tup_hot_upd`.
    pub hot_updated: i64,
    /// Bytes of the heap.
    pub heap_bytes: i64,
    /// Bytes of the claim's partial index, 0 without one.
    pub index_bytes: i64,
    /// `vacuum_count + autovacuum_count`.
    pub vacuums: i64,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// Nothing can change any more.
    Quiescent,
    /// The time limit.
    TimeLimit,
    /// A person stopped it.
    Stopped,
    /// The database went away in the middle.
    DatabaseLost,
    /// It reached the limit of events kept for one run.
    EventLimit,
    /// It could not be prepared or met an error that no worker can handle.
    Failed,
}

/// A row of `pg_locks` that stands for a wait, as PostgreSQL prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockRow {
    /// `locktype`.
    pub locktype: String,
    /// `mode`.
    pub mode: String,
    /// `granted`.
    pub granted: bool,
    /// `relation` by name, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub relation: Option<String>,
    /// `(page,tuple)`, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tuple: Option<String>,
    /// `transactionid`, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub transactionid: Option<String>,
}
