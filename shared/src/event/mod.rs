//! Events: what happened, when, to which job, by whom, on what evidence.
//!
//! A run is its list of events. Everything shown is computed from them: the picture, the counters, the narration, the
//! export. Sequence numbers order events; equal times are legal. Receipt order across sessions is not server order:
//! a woken waiter's reply can be read before the holder's COMMIT reply, which is why statements have a *sent* and a
//! *returned* event.

mod detail;

pub use detail::{
    Cause, ClaimedJob, EmptyReason, EndReason, LockRow, PauseReason, Refusal, RefusalKind, TableStats, WaitFor,
};

use crate::ids::{Actor, JobId, WorkerId};
use crate::program::Point;
use crate::scenario::Scenario;
use crate::sql::StatementId;
use serde::{Deserialize, Serialize};

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// µs since the run began, from one monotonic (or virtual) clock.
    pub at: u64,
    /// Whose event it is.
    pub who: Actor,
    /// How it is known.
    pub evidence: Evidence,
    /// What happened.
    pub what: What,
}

/// How an event is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// A statement returned it, or the program itself did it.
    Executed,
    /// Read from pg_locks, pg_stat_activity, pgrowlocks or pg_stat_user_tables.
    Observed,
    /// The simulator's.
    Simulated,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum What {
    /// The run began.
    RunBegan {
        /// Its scenario.
        scenario: Box<Scenario>,
        /// The server, such as "PostgreSQL 15.18".
        engine: String,
    },
    /// The run ended.
    RunEnded {
        /// Why.
        reason: EndReason,
        /// More on it, for people; may be empty.
        detail: String,
    },
    /// Something the viewer should know: a missing extension, a missing right, a limit. A key of the catalogue.
    Notice {
        /// The message.
        message: crate::text::Message,
    },

    /// A session was opened.
    Connected {
        /// The backend's process id.
        pid: i32,
    },
    /// The session is gone.
    SessionLost {
        /// Why.
        refusal: Refusal,
    },
    /// A statement left for the server.
    Sent {
        /// Which one.
        statement: StatementId,
    },
    /// Its answer was read.
    Returned {
        /// Which one.
        statement: StatementId,
        /// Rows returned or changed.
        rows: u32,
        /// The error, if it failed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        refusal: Option<Refusal>,
    },

    /// Jobs were put on the queue (committed).
    Enqueued {
        /// The first one.
        first: JobId,
        /// How many, numbered upwards from the first.
        count: u32,
        /// Their priority classes, in order; empty when there is only one class.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        priorities: Vec<u32>,
    },
    /// A worker began a round.
    PollBegan {
        /// Its how many-th, from 1.
        poll: u32,
    },
    /// A claim brought jobs (their transaction is still open).
    Claimed {
        /// The jobs, in the order in which they came back.
        jobs: Vec<ClaimedJob>,
    },
    /// A claim brought nothing.
    ClaimEmpty {
        /// Why.
        reason: EmptyReason,
    },
    /// The row that was read as queued was no longer so at the UPDATE (naive-guarded): a wasted round.
    RaceLost {
        /// The jobs read and not got.
        jobs: Vec<JobId>,
    },
    /// A worker pauses.
    PauseBegan {
        /// Why.
        reason: PauseReason,
        /// For how long at most, in µs of real time.
        us: u64,
    },
    /// The work on a job began.
    WorkBegan {
        /// The job.
        job: JobId,
        /// Its attempt.
        attempt: u32,
        /// Its delivery.
        delivery: u32,
        /// How long the work takes, in µs of real time.
        us: u64,
    },
    /// The work on a job ended.
    WorkEnded {
        /// The job.
        job: JobId,
        /// Its delivery.
        delivery: u32,
        /// Whether it succeeded.
        ok: bool,
    },
    /// An effect is out in the world (committed in the ledger).
    Effect {
        /// The job.
        job: JobId,
        /// "mail", "cashback" or "analytics".
        effect: String,
        /// The delivery that caused it.
        delivery: u32,
        /// The earlier attempt whose effect it repeats, if it does.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        repeats: Option<Cause>,
    },
    /// The idempotency key kept an effect from happening again.
    EffectSuppressed {
        /// The job.
        job: JobId,
        /// Which effect.
        effect: String,
        /// The delivery that would have caused it.
        delivery: u32,
    },
    /// The ack's statement changed the row: the job is done, once its transaction commits.
    Acked {
        /// The job.
        job: JobId,
    },
    /// An ack, retry or dead letter changed 0 rows: the job no longer is this worker's.
    StaleAck {
        /// The job.
        job: JobId,
    },
    /// A failed job was put back on the queue, once the transaction commits.
    Requeued {
        /// The job.
        job: JobId,
        /// Its attempts so far.
        attempt: u32,
        /// Due again after so many µs of real time.
        delay_us: u64,
    },
    /// A failed job was given up, once the transaction commits.
    DeadLettered {
        /// The job.
        job: JobId,
        /// Its attempts.
        attempt: u32,
    },
    /// The sender's transaction committed.
    Committed,
    /// The sender's transaction was rolled back.
    RolledBack,
    /// A worker crashed: its connection is gone, without a word to the server.
    Crashed {
        /// Where.
        point: Point,
        /// The jobs that it had in hand.
        jobs: Vec<JobId>,
    },
    /// A worker hangs: its connection stays open and silent.
    Hung {
        /// The job that it had in hand.
        job: JobId,
    },
    /// A crashed worker is back.
    Restarted,
    /// The reaper returned a job (committed).
    Reaped {
        /// The job.
        job: JobId,
        /// Who had it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        owner: Option<WorkerId>,
        /// Its attempts.
        attempt: u32,
        /// Time since its last sign of life, in µs of real time.
        age_us: u64,
        /// Given up instead of queued again.
        dead: bool,
    },
    /// Leases were extended.
    Heartbeat {
        /// The jobs whose row changed.
        jobs: Vec<JobId>,
    },

    /// A backend waits for a lock.
    WaitBegan {
        /// What for.
        wait: WaitFor,
        /// The row, where it is known.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        job: Option<JobId>,
        /// Who is in the way, as pg_blocking_pids has it: waiters ahead included.
        blocked_by: Vec<Actor>,
        /// Place in the row's wait queue, from 1.
        place: u32,
        /// When it began: pg_locks.waitstart, mapped to the run's clock, in µs of the run.
        since: u64,
        /// The lock as pg_locks prints it.
        lock: LockRow,
    },
    /// The same wait, of one statement for one row, at another place in line or for the next part of the way: who queued
    /// behind the tuple lock waits for the transaction once it is first.
    WaitMoved {
        /// What for.
        wait: WaitFor,
        /// Who is in the way now.
        blocked_by: Vec<Actor>,
        /// Place in the row's wait queue, from 1.
        place: u32,
        /// The lock as pg_locks prints it.
        lock: LockRow,
    },
    /// The wait ended.
    WaitEnded {
        /// How long it lasted, from pg_locks.waitstart where the server has it, in µs.
        us: u64,
    },
    /// pgrowlocks shows a row locked.
    RowLocked {
        /// The row.
        job: JobId,
        /// The modes, as pgrowlocks prints them.
        modes: Vec<String>,
        /// Transaction id of the locker.
        xid: String,
    },
    /// It no longer does.
    RowReleased {
        /// The row.
        job: JobId,
    },
    /// pg_stat_activity shows a backend that is none of the run's sessions and that matters to it: the orphan of a crashed
    /// worker, or a stranger in the way.
    BackendSeen {
        /// The worker whose crash left it behind.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        orphan_of: Option<WorkerId>,
        /// `application_name`.
        application: String,
        /// `state`, such as "active" or "idle in transaction".
        state: String,
        /// The beginning of its current or last statement.
        query: String,
    },
    /// It is gone.
    BackendGone,
    /// The table's statistics changed.
    Table {
        /// The new numbers.
        stats: TableStats,
    },
    /// What the observer itself has cost so far.
    ObserverCost {
        /// Looks.
        looks: u32,
        /// Time spent in its statements, in µs.
        us: u64,
        /// Its period at the moment, in µs.
        period_us: u64,
    },

    /// Someone stands at a breakpoint.
    PausedAt {
        /// Where.
        point: Point,
    },
    /// They go on.
    ResumedAt {
        /// From where.
        point: Point,
    },
}
