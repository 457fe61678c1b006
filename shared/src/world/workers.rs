//! Workers and sessions as the world has them.

use super::{ActorKey, World};
use crate::event::{LockRow, PauseReason, Refusal, WaitFor};
use crate::ids::{Actor, JobId, WorkerId};
use crate::program::Point;
use crate::sql::StatementId;
use serde::{Deserialize, Serialize};

/// What a worker does right now.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Activity {
    /// Not connected yet.
    #[default]
    Starting,
    /// Asking for jobs.
    Polling,
    /// At work.
    Working {
        /// On this job.
        job: JobId,
        /// Its delivery.
        delivery: u32,
        /// Since, µs of the run.
        since: u64,
        /// For how long, µs.
        us: u64,
    },
    /// Telling the database how it went.
    Settling {
        /// The job.
        job: JobId,
    },
    /// Pausing.
    Pausing {
        /// Why.
        reason: PauseReason,
        /// Since, µs of the run.
        since: u64,
        /// For how long at most, µs; 0 = until notified.
        us: u64,
    },
    /// Crashed.
    Crashed {
        /// Where.
        point: Point,
    },
    /// Hangs, its connection open and silent.
    Hung {
        /// With this job in hand.
        job: JobId,
    },
}

/// A wait for a lock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    /// What for.
    pub wait: WaitFor,
    /// The row, where it is known.
    pub job: Option<JobId>,
    /// Who is in the way.
    pub blocked_by: Vec<Actor>,
    /// Place in the row's queue, from 1.
    pub place: u32,
    /// Since, µs of the run.
    pub since: u64,
    /// As pg_locks prints it.
    pub lock: LockRow,
}

/// A change that its sender sees and nobody else, until COMMIT.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Change {
    /// Claimed.
    Claim {
        /// The job.
        job: JobId,
        /// `attempts` after it.
        attempt: u32,
    },
    /// Done.
    Ack {
        /// The job.
        job: JobId,
    },
    /// Back on the queue.
    Requeue {
        /// The job.
        job: JobId,
        /// Due at, µs of the run.
        due_at: u64,
    },
    /// Given up.
    DeadLetter {
        /// The job.
        job: JobId,
    },
}

impl Change {
    /// The job that it changes.
    pub fn job(self) -> JobId {
        match self {
            Change::Claim { job, .. }
            | Change::Ack { job }
            | Change::Requeue { job, .. }
            | Change::DeadLetter { job } => job,
        }
    }
}

/// An open transaction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Transaction {
    /// Since, µs of the run.
    pub since: u64,
    /// Changes not committed yet.
    pub changes: Vec<Change>,
}

/// A backend that is none of the run's sessions, as pg_stat_activity has it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BackendView {
    /// The worker whose crash left it behind.
    pub orphan_of: Option<WorkerId>,
    /// `application_name`.
    pub application: String,
    /// `state`.
    pub state: String,
    /// The beginning of its current or last statement.
    pub query: String,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionView {
    /// The backend's process id.
    pub pid: Option<i32>,
    /// The statement in flight, or the last one.
    pub statement: Option<StatementId>,
    /// Whether it is in flight.
    pub in_flight: bool,
    /// The open transaction.
    pub transaction: Option<Transaction>,
    /// COMMIT or ROLLBACK is sent: locks may be gone from here on.
    pub ending: bool,
    /// The wait for a lock.
    pub wait: Option<Waiting>,
    /// The row that its last wait was for, after the wait too.
    pub waited_for: Option<JobId>,
    /// Rows whose lock it holds.
    pub holds: Vec<JobId>,
    /// The last error.
    pub refusal: Option<Refusal>,
    /// Where it stands at a breakpoint.
    pub paused_at: Option<Point>,
    /// Strangers and orphans: what pg_stat_activity says of them.
    pub backend: Option<BackendView>,
}

impl SessionView {
    /// Whether its open transaction has claimed this job.
    pub fn has_claimed(&self, id: JobId) -> bool {
        let mut changes = self.transaction.iter().flat_map(|transaction| &transaction.changes);
        changes.any(|change| matches!(change, Change::Claim { job, .. } if *job == id))
    }
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerView {
    /// Its number.
    pub id: WorkerId,
    /// What it does.
    pub activity: Activity,
    /// Since, µs of the run.
    pub since: u64,
    /// Its session.
    pub session: SessionView,
    /// Jobs that it finished.
    pub done: u32,
    /// Time at work, µs.
    pub busy_us: u64,
    /// Time in waits for locks, µs.
    pub waited_us: u64,
    /// Jobs passed over by its last claim.
    pub hopped: Vec<JobId>,
    /// When its current round began, µs of the run.
    pub poll_since: u64,
}

impl WorkerView {
    pub(super) fn new(id: WorkerId) -> WorkerView {
        WorkerView {
            id,
            activity: Activity::Starting,
            since: 0,
            session: SessionView::default(),
            done: 0,
            busy_us: 0,
            waited_us: 0,
            hopped: Vec::new(),
            poll_since: 0,
        }
    }

    /// How far the work is at a time, 0 to 1.
    pub fn progress(&self, at: u64) -> Option<f64> {
        match self.activity {
            Activity::Working { since, us, .. } if us > 0 => {
                Some((at.saturating_sub(since) as f64 / us as f64).clamp(0.0, 1.0))
            }
            Activity::Working { .. } => Some(1.0),
            _ => None,
        }
    }
}

impl World {
    pub(super) fn worker_mut(&mut self, who: Actor) -> Option<&mut WorkerView> {
        self.workers.get_mut(who.worker()?.index())
    }

    pub(super) fn session_mut(&mut self, who: Actor) -> Option<&mut SessionView> {
        match who {
            Actor::Worker(id) => self.workers.get_mut(id.index()).map(|worker| &mut worker.session),
            other => Some(self.others.entry(ActorKey(other)).or_default()),
        }
    }

    pub(super) fn set_activity(&mut self, who: Actor, activity: Activity) {
        let at = self.at;
        if let Some(worker) = who.worker().and_then(|id| self.workers.get_mut(id.index())) {
            if let Activity::Working { since, .. } = worker.activity {
                worker.busy_us += at.saturating_sub(since);
                self.counters.busy_us += at.saturating_sub(since);
            }
            worker.activity = activity;
            worker.since = at;
        }
    }
}
