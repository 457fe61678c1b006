//! Messages between page and server.
//!
//! REST, all JSON under `/api`:
//!
//! | request | answer |
//! |---|---|
//! | `GET /api/server` | [`ServerInfo`] |
//! | `GET /api/presets` | [`PresetInfo`]s |
//! | `POST /api/scenarios/check` with a scenario | [`CheckAnswer`] |
//! | `POST /api/runs` with a scenario | [`RunInfo`], 201 |
//! | `GET /api/runs` | [`RunInfo`]s, newest first |
//! | `GET /api/runs/{id}` | [`RunInfo`] |
//! | `GET /api/runs/{id}/summary` | [`crate::world::Summary`] |
//! | `GET /api/runs/{id}/events` | events as JSON lines |
//! | `POST /api/runs/{id}/stop` | 204 |
//! | `POST /api/runs/{id}/interventions` with an [`Intervention`] | 204 |
//! | `DELETE /api/runs/{id}` | 204 |
//! | `GET /api/runs/{id}/stream?after=SEQ` | WebSocket: [`ToViewer`] and [`FromViewer`] as JSON text |
//!
//! Every refusal is an [`ApiError`].

use crate::event::{EndReason, Event};
use crate::ids::WorkerId;
use crate::program::Point;
use crate::scenario::{KnobError, Scenario};
use crate::text::Message;
use crate::world::{Summary, World};
use serde::{Deserialize, Serialize};

/// The version of these messages. A page that meets another one says so and asks to be reloaded.
pub const VERSION: u32 = 1;

/// A run's number: one sequence a server, never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What the server is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// [`VERSION`].
    pub version: u32,
    /// The database server, such as "PostgreSQL 15.18"; absent while there is none.
    pub postgres: Option<String>,
    /// Whether it is Rowlock's own, private cluster.
    pub embedded: bool,
    /// Whether it runs with the "fast, not durable" settings.
    pub fast_not_durable: bool,
    /// Rights and extensions that are missing, as messages.
    pub notices: Vec<Message>,
    /// Most runs at once.
    pub max_runs: u32,
}

/// A preset as the page lists it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PresetInfo {
    /// Its name.
    pub id: String,
    /// Its scenario.
    pub scenario: Scenario,
}

/// Whether a scenario is valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckAnswer {
    /// What is wrong, each naming field, value and bound; empty when nothing is.
    pub errors: Vec<KnobError>,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// Its schema is being made.
    Preparing,
    /// It runs.
    Running,
    /// It was asked to stop and has not stopped yet.
    Stopping,
    /// It ended.
    Ended,
}

/// A run as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Its number.
    pub id: RunId,
    /// Where it is.
    pub status: RunStatus,
    /// Why it ended.
    pub ended: Option<EndReason>,
    /// Its scenario.
    pub scenario: Scenario,
    /// When it was started, in seconds since 1970.
    pub started_at: i64,
    /// Its summary, once it ended.
    pub summary: Option<Summary>,
    /// The line to type to join its database with one's own psql.
    pub psql: Option<String>,
}

/// What a person does to a run that goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "do", deny_unknown_fields)]
pub enum Intervention {
    /// Let whoever reaches this point stand there.
    Break {
        /// Only this worker; everyone if absent.
        #[serde(default)]
        worker: Option<WorkerId>,
        /// The point; `anywhere` means every point, so that each step can be seen.
        point: Point,
    },
    /// Take the breakpoint away; whoever stands there goes on.
    Clear {
        /// As it was set.
        #[serde(default)]
        worker: Option<WorkerId>,
        /// As it was set.
        point: Point,
    },
    /// Let those who stand at a breakpoint go on.
    Resume {
        /// Only this worker; everyone if absent.
        #[serde(default)]
        worker: Option<WorkerId>,
    },
    /// Let a worker go on to the very next point and stand there.
    Step {
        /// The worker.
        worker: WorkerId,
    },
    /// Crash a worker where it is.
    Crash {
        /// The worker.
        worker: WorkerId,
    },
}

/// From the server to a viewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum ToViewer {
    /// First message of a stream, and again after a resynchronisation: everything up to `world.seq`.
    Snapshot {
        /// [`VERSION`].
        version: u32,
        /// The run.
        run: RunId,
        /// The world so far.
        world: Box<World>,
        /// The last events before it, for the log.
        recent: Vec<Event>,
        /// Events that this viewer was not sent one by one because it was too slow, in all.
        dropped: u64,
    },
    /// The events after the last ones, without gap or repeat; one message at most every 16 ms.
    Events {
        /// The events.
        events: Vec<Event>,
    },
    /// The run is over and everything has been sent.
    End {
        /// Its summary.
        summary: Box<Summary>,
    },
    /// Answer to [`FromViewer::Ping`].
    Pong {
        /// The same number.
        nonce: u64,
    },
    /// A message was not understood; the stream goes on.
    Error {
        /// What is wrong.
        error: ApiError,
    },
}

/// From a viewer to the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type", deny_unknown_fields)]
pub enum FromViewer {
    /// Are you there?
    Ping {
        /// Any number; the answer has it too.
        nonce: u64,
    },
    /// Send me a snapshot again.
    Resync,
}

/// A refusal. The sentence is `message` in the reader's language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApiError {
    /// What kind.
    pub code: ErrorCode,
    /// The sentence.
    pub message: Message,
    /// For a refused scenario: every error.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub knobs: Vec<KnobError>,
}

/// Kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The scenario is not valid (422).
    BadScenario,
    /// The body or the message cannot be read (400).
    BadMessage,
    /// No such run, no such path (404).
    NotFound,
    /// The request came from another site (403).
    ForeignOrigin,
    /// The body is too large (413).
    TooLarge,
    /// Too many runs or viewers at once (429).
    TooMany,
    /// The run is not in a state that allows this (409).
    Conflict,
    /// The database is not reachable now (503).
    DatabaseDown,
    /// A fault of the server (500).
    Internal,
}
