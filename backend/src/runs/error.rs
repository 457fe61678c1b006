//! Why a run cannot be started, watched or changed.

use crate::live::LiveError;
use rowlock_shared::ids::WorkerId;
use rowlock_shared::scenario::KnobError;
use rowlock_shared::text::Message;
use rowlock_shared::wire::RunId;

/// A refusal of the registry.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scenario is not valid, or the database has no room for it.
    #[error("the scenario is not valid: {0:?}")]
    BadScenario(Vec<KnobError>),
    /// There is no such run.
    #[error("there is no run {0}")]
    NoSuchRun(RunId),
    /// As many runs go on as may.
    #[error("{max} runs go on already, which is the most; stop one")]
    TooManyRuns {
        /// How many may.
        max: u32,
    },
    /// As many viewers watch the run as may.
    #[error("{max} viewers watch the run already, which is the most")]
    TooManyViewers {
        /// How many may.
        max: u32,
    },
    /// A run that must be alone goes on.
    #[error(
        "run {run} holds a snapshot open, which would spoil the figures of any other run; wait for its end or stop it"
    )]
    AnotherIsExclusive {
        /// The one that goes on.
        run: RunId,
    },
    /// The run must be alone, and another goes on.
    #[error(
        "a run with open_snapshot must be alone in its database, and run {run} goes on; wait for its end or stop it"
    )]
    MustBeAlone {
        /// The one that goes on.
        run: RunId,
    },
    /// It goes on, and may not be deleted.
    #[error("run {0} goes on; stop it first")]
    GoesOn(RunId),
    /// It is over but not yet in the database, and may not be deleted.
    #[error("run {0} is being kept; try again")]
    BeingKept(RunId),
    /// It is over, and cannot be meddled with.
    #[error("run {0} is over")]
    IsOver(RunId),
    /// The run has no such worker.
    #[error("there is no worker {worker}; the run has 1 to {workers}", worker = .worker.0)]
    NoSuchWorker {
        /// The one that was named.
        worker: WorkerId,
        /// How many there are.
        workers: u32,
    },
    /// There is no database at the moment.
    #[error("the database is not reachable: {why:?}")]
    DatabaseDown {
        /// What is known of it.
        why: Message,
    },
    /// The database refused.
    #[error(transparent)]
    Database(#[from] LiveError),
    /// A kept run cannot be read.
    #[error("run {run} cannot be read: {why}")]
    Unreadable {
        /// The run.
        run: RunId,
        /// Why.
        why: String,
    },
    /// The server is about to end.
    #[error("the server is about to end")]
    Closing,
    /// A task of the server panicked.
    #[error("a fault of the server: {0}")]
    Fault(String),
}

impl RunError {
    /// The sentence for a reader.
    pub fn message(&self) -> Message {
        let about = |key, run: &RunId| Message::new(key).with("run", run.0);
        match self {
            RunError::BadScenario(errors) => match errors.as_slice() {
                [only] => only.message(),
                several => Message::new("server-bad-scenario").with("count", several.len()),
            },
            RunError::NoSuchRun(run) => about("server-no-such-run", run),
            RunError::TooManyRuns { max } => Message::new("server-too-many-runs").with("max", *max),
            RunError::TooManyViewers { max } => Message::new("server-too-many-viewers").with("max", *max),
            RunError::AnotherIsExclusive { run } => about("server-another-is-exclusive", run),
            RunError::MustBeAlone { run } => about("server-must-be-alone", run),
            RunError::GoesOn(run) => about("server-goes-on", run),
            RunError::BeingKept(run) => about("server-being-kept", run),
            RunError::IsOver(run) => about("server-is-over", run),
            RunError::NoSuchWorker { worker, workers } => {
                Message::new("server-no-such-worker").with("worker", worker.0).with("workers", *workers)
            }
            RunError::DatabaseDown { why } => Message::new("server-database-down").with("why", why.clone()),
            RunError::Database(error) => error.message(),
            RunError::Unreadable { run, why } => about("server-unreadable", run).with("why", why.as_str()),
            RunError::Closing => Message::new("server-closing"),
            RunError::Fault(_) => Message::new("server-fault"),
        }
    }
}
