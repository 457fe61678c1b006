//! The world: what one would see at a moment of a run, folded from the events up to it.
//!
//! `world = fold(events)`, and nothing else: no engine, no screen, no clock. Server and page fold the same events to the
//! same world; a snapshot for a late viewer is a world; a counter on screen is a field of [`Counters`].

mod apply;
mod changes;
mod counters;
mod jobs;
mod locks;
mod workers;

mod summary;

pub use counters::{Counters, Distribution};
pub use jobs::{Holder, JobState, JobView};
pub use summary::{Percentiles, Summary};
pub use workers::{Activity, BackendView, Change, SessionView, Transaction, Waiting, WorkerView};

use crate::event::{EndReason, TableStats};
use crate::ids::{Actor, JobId, WorkerId};
use crate::scenario::Scenario;
use crate::text::Message;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line of the effects ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectView {
    /// When, in µs of the run.
    pub at: u64,
    /// The job.
    pub job: JobId,
    /// "mail", "cashback" or "analytics".
    pub effect: String,
    /// The worker that caused it.
    pub worker: WorkerId,
    /// Its delivery.
    pub delivery: u32,
    /// The earlier attempt whose effect it repeats.
    pub repeats: Option<crate::event::Cause>,
}

/// The observer's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ObserverView {
    /// Looks.
    pub looks: u32,
    /// Time in its statements, µs.
    pub us: u64,
    /// Its period at the moment, µs.
    pub period_us: u64,
}

/// The world at a moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct World {
    /// The last event folded in.
    pub seq: u64,
    /// Its time.
    pub at: u64,
    /// The scenario, once the run began.
    pub scenario: Option<Box<Scenario>>,
    /// The server, such as "PostgreSQL 15.18".
    pub engine: String,
    /// Why and how it ended.
    pub ended: Option<(EndReason, String)>,
    /// What the viewer should know.
    pub notices: Vec<Message>,
    /// The workers, by number.
    pub workers: Vec<WorkerView>,
    /// Everyone else with a session.
    pub others: BTreeMap<ActorKey, SessionView>,
    /// The jobs, by id from 1.
    pub jobs: Vec<JobView>,
    /// Jobs by state, as committed.
    pub states: BTreeMap<JobState, u32>,
    /// The effects, in order.
    pub effects: Vec<EffectView>,
    /// The counters.
    pub counters: Counters,
    /// The table in numbers.
    pub table: TableStats,
    /// What the observer cost.
    pub observer: ObserverView,
    /// The furthest job, in queue order, whose work has begun: for FIFO inversions.
    pub(crate) furthest_begun: Option<(u32, u64, JobId)>,
}

/// An [`Actor`] as a map key: JSON wants text there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActorKey(pub Actor);

impl Serialize for ActorKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = match self.0 {
            Actor::Stranger { pid } => format!("pid-{pid}"),
            actor => actor.mark(),
        };
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for ActorKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ActorKey, D::Error> {
        let text = String::deserialize(deserializer)?;
        let actor = match text.as_str() {
            "producer" => Actor::Producer,
            "reaper" => Actor::Reaper,
            "heartbeat" => Actor::Heartbeat,
            "listener" => Actor::Listener,
            "bystander" => Actor::Bystander,
            "outside" => Actor::Outside,
            "observer" => Actor::Observer,
            "run" => Actor::Run,
            other => match other.strip_prefix("pid-").and_then(|pid| pid.parse().ok()) {
                Some(pid) => Actor::Stranger { pid },
                None => return Err(serde::de::Error::custom(format!("no such actor: {other}"))),
            },
        };
        Ok(ActorKey(actor))
    }
}

impl World {
    /// The world before anything happened.
    pub fn new() -> World {
        World::default()
    }

    /// Folds events into a fresh world.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a crate::event::Event>) -> World {
        let mut world = World::new();
        for event in events {
            world.apply(event);
        }
        world
    }

    /// The job of this id, if the run has it.
    pub fn job(&self, id: JobId) -> Option<&JobView> {
        self.jobs.get((id.0 as usize).checked_sub(1)?)
    }

    /// The worker of this number.
    pub fn worker(&self, id: WorkerId) -> Option<&WorkerView> {
        self.workers.get(id.index())
    }

    /// The session of anyone who has one.
    pub fn session(&self, who: Actor) -> Option<&SessionView> {
        match who {
            Actor::Worker(id) => self.worker(id).map(|worker| &worker.session),
            other => self.others.get(&ActorKey(other)),
        }
    }

    /// How many jobs are in this state, as committed.
    pub fn count(&self, state: JobState) -> u32 {
        self.states.get(&state).copied().unwrap_or(0)
    }

    /// Whether the run has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.scenario.is_some() && self.ended.is_none()
    }

    /// How many workers wait for a lock now.
    pub fn waiting(&self) -> usize {
        self.workers.iter().filter(|worker| worker.session.wait.is_some()).count()
    }
}

#[cfg(test)]
mod tests;
