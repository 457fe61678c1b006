//! What runs need of the world below: somewhere to play, somewhere to be kept.
//!
//! The trait is the seam that lets hub, registry, HTTP and streams be tested without a PostgreSQL.

use crate::live::{self, Keep, LiveError, LiveRun, Postgres, Store, StoredRun};
use futures_util::future::BoxFuture;
use rowlock_shared::event::Event;
use rowlock_shared::scenario::{KnobError, Scenario};
use rowlock_shared::text::Message;
use rowlock_shared::wire::{Intervention, RunId};
use tokio::sync::mpsc::UnboundedSender;

/// What an engine answers, in time.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, LiveError>>;

/// A run that goes on, as an engine has it.
pub trait Player: Send + Sync {
    /// Does what a person asked for; nothing if the run is over.
    fn intervene(&self, what: Intervention);
    /// Asks the run to stop; its last event says when it has.
    fn stop(&self);
}

impl Player for LiveRun {
    fn intervene(&self, what: Intervention) {
        LiveRun::intervene(self, what);
    }

    fn stop(&self) {
        LiveRun::stop(self);
    }
}

/// A database to play runs on and to keep them in.
pub trait Engine: Send + Sync {
    /// Its name and version, such as "PostgreSQL 15.18".
    fn version(&self) -> String;
    /// What is missing, for people.
    fn notices(&self) -> Vec<Message>;
    /// The line to type to join a run's database.
    fn psql_line(&self, run: RunId) -> String;
    /// Whether it has room for a run.
    fn check_fits<'a>(&'a self, scenario: &'a Scenario) -> BoxFuture<'a, Result<(), KnobError>>;
    /// Notes that a run begins, and gives it its number.
    fn enter<'a>(&'a self, scenario: &'a Scenario) -> Answer<'a, RunId>;
    /// Starts a run. The last event is `RunEnded`, after which the sender is dropped.
    fn play(&self, run: RunId, scenario: Scenario, events: UnboundedSender<Event>) -> Box<dyn Player>;
    /// Keeps a run that ended.
    fn save<'a>(&'a self, run: &'a StoredRun, pieces: &'a [Vec<u8>]) -> Answer<'a, ()>;
    /// Kept runs, newest first.
    fn list(&self) -> Answer<'_, Vec<StoredRun>>;
    /// A kept run and its events.
    fn load(&self, run: RunId) -> Answer<'_, Option<(StoredRun, Vec<Vec<u8>>)>>;
    /// Drops a run's schema.
    fn clear(&self, run: RunId) -> Answer<'_, ()>;
    /// Forgets a run and drops its schema.
    fn delete(&self, run: RunId) -> Answer<'_, ()>;
    /// Forgets runs by age and size; says which.
    fn prune(&self, keep: Keep) -> Answer<'_, Vec<RunId>>;
}

/// PostgreSQL.
pub(super) struct LiveEngine {
    pub(super) postgres: Postgres,
    pub(super) store: Store,
}

impl Engine for LiveEngine {
    fn version(&self) -> String {
        self.postgres.version()
    }

    fn notices(&self) -> Vec<Message> {
        self.postgres.notices()
    }

    fn psql_line(&self, run: RunId) -> String {
        self.postgres.psql_line(run)
    }

    fn check_fits<'a>(&'a self, scenario: &'a Scenario) -> BoxFuture<'a, Result<(), KnobError>> {
        Box::pin(self.postgres.check_fits(scenario))
    }

    fn enter<'a>(&'a self, scenario: &'a Scenario) -> Answer<'a, RunId> {
        Box::pin(self.store.enter(scenario))
    }

    fn play(&self, run: RunId, scenario: Scenario, events: UnboundedSender<Event>) -> Box<dyn Player> {
        Box::new(live::start(self.postgres.clone(), run, scenario, events))
    }

    fn save<'a>(&'a self, run: &'a StoredRun, pieces: &'a [Vec<u8>]) -> Answer<'a, ()> {
        Box::pin(self.store.save(run, pieces))
    }

    fn list(&self) -> Answer<'_, Vec<StoredRun>> {
        Box::pin(self.store.list())
    }

    fn load(&self, run: RunId) -> Answer<'_, Option<(StoredRun, Vec<Vec<u8>>)>> {
        Box::pin(self.store.load(run))
    }

    fn clear(&self, run: RunId) -> Answer<'_, ()> {
        Box::pin(self.store.clear(run))
    }

    fn delete(&self, run: RunId) -> Answer<'_, ()> {
        Box::pin(self.store.delete(run))
    }

    fn prune(&self, keep: Keep) -> Answer<'_, Vec<RunId>> {
        Box::pin(self.store.prune(keep))
    }
}
