//! The registry: which runs there are, and what may be done to them.

use super::database::Database;
use super::engine::Engine;
use super::entry::{Entry, stored_info};
use super::error::RunError;
use super::hub::Hub;
use super::limits::Limits;
use super::viewer::Viewer;
use super::{keeper, log};
use rowlock_shared::ids::WorkerId;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::text::Message;
use rowlock_shared::wire::{Intervention, RunId, RunInfo};
use rowlock_shared::world::Summary;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, watch};

/// How long runs have to stop, and their events to be kept, when the server ends.
const FAREWELL: Duration = Duration::from_secs(8);

/// All runs of a server. Cheap to clone.
#[derive(Clone)]
pub struct Runs(Arc<Inner>);

pub(super) struct Inner {
    pub(super) limits: Limits,
    pub(super) database: Database,
    pub(super) entries: Mutex<BTreeMap<RunId, Arc<Entry>>>,
    /// One start at a time: the caps are checked before the database is asked for room.
    starting: tokio::sync::Mutex<()>,
    closing: AtomicBool,
    uses: AtomicU64,
}

impl Runs {
    /// An empty registry over a database.
    pub fn new(database: Database, limits: Limits) -> Runs {
        Runs(Arc::new(Inner {
            limits,
            database,
            entries: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            closing: AtomicBool::new(false),
            uses: AtomicU64::new(0),
        }))
    }

    /// The caps.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// The database server's name and version and what it lacks; `None` while it is down.
    pub fn engine(&self) -> Option<(String, Vec<Message>)> {
        self.0.database.engine().ok().map(|engine| (engine.version(), engine.notices()))
    }

    /// Starts a run. Once begun, it is done to the end even if the caller does not wait.
    ///
    /// # Errors
    /// The scenario is not valid or does not fit, there are too many runs or one that must be alone, or the database is
    /// down.
    pub async fn start(&self, scenario: Scenario) -> Result<RunInfo, RunError> {
        let inner = self.0.clone();
        let start = tokio::spawn(async move { inner.start(scenario).await });
        start.await.map_err(|panic| RunError::Fault(panic.to_string()))?
    }

    /// All runs, newest first. While the database is down, those in memory.
    ///
    /// # Errors
    /// The database refuses.
    pub async fn list(&self) -> Result<Vec<RunInfo>, RunError> {
        let mut infos = BTreeMap::new();
        if let Ok(engine) = self.0.database.engine() {
            match engine.list().await {
                Ok(stored) => infos.extend(stored.into_iter().map(|run| (run.id, stored_info(run)))),
                Err(error) if error.is_lost() => tracing::warn!(%error, "only runs in memory are listed"),
                Err(error) => return Err(error.into()),
            }
        }
        infos.extend(self.0.entries().values().map(|entry| (entry.id, self.0.info(entry))));
        Ok(infos.into_values().rev().collect())
    }

    /// One run.
    ///
    /// # Errors
    /// There is none of this number, or the database that may have it is down.
    pub async fn info(&self, run: RunId) -> Result<RunInfo, RunError> {
        let entry = self.0.find(run).await?;
        Ok(self.0.info(&entry))
    }

    /// A run in numbers, so far or for good.
    ///
    /// # Errors
    /// As [`Runs::info`].
    pub async fn summary(&self, run: RunId) -> Result<Summary, RunError> {
        Ok(self.0.find(run).await?.hub.world().summary())
    }

    /// The log of a run.
    ///
    /// # Errors
    /// As [`Runs::info`].
    pub async fn hub(&self, run: RunId) -> Result<Arc<Hub>, RunError> {
        Ok(self.0.find(run).await?.hub.clone())
    }

    /// A viewer of a run, who has seen everything up to event `after`.
    ///
    /// # Errors
    /// As [`Runs::info`], or as many watch already as may.
    pub async fn watch(&self, run: RunId, after: Option<u64>) -> Result<Viewer, RunError> {
        self.hub(run).await?.watch(after)
    }

    /// Asks a run to stop; nothing if it is over.
    ///
    /// # Errors
    /// As [`Runs::info`].
    pub async fn stop(&self, run: RunId) -> Result<(), RunError> {
        self.0.find(run).await?.stop();
        Ok(())
    }

    /// Meddles with a run that goes on.
    ///
    /// # Errors
    /// As [`Runs::info`]; it is over, or has no such worker.
    pub async fn intervene(&self, run: RunId, what: Intervention) -> Result<(), RunError> {
        let entry = self.0.find(run).await?;
        let workers = entry.scenario.workers;
        if let Some(worker) = worker_of(&what).filter(|worker| !(1..=workers).contains(&worker.0)) {
            return Err(RunError::NoSuchWorker { worker, workers });
        }
        match &entry.player {
            Some(player) if !entry.hub.is_over() => player.intervene(what),
            _ => return Err(RunError::IsOver(run)),
        }
        Ok(())
    }

    /// Forgets a run that is over: its events, its schema.
    ///
    /// # Errors
    /// As [`Runs::info`]; it goes on; the database is down or refuses.
    pub async fn delete(&self, run: RunId) -> Result<(), RunError> {
        let entry = self.0.find(run).await?;
        if !entry.hub.is_over() {
            return Err(RunError::GoesOn(run));
        }
        let engine = self.0.database.engine()?;
        // Whoever keeps the run would write it down again after it was deleted.
        let mut settled = entry.settled.subscribe();
        let kept = async { settled.wait_for(|settled| *settled).await.is_ok() };
        if tokio::time::timeout(self.0.limits.patience, kept).await.is_err() {
            return Err(RunError::BeingKept(run));
        }
        engine.delete(run).await?;
        entry.has_schema.store(false, Ordering::SeqCst);
        self.0.entries().remove(&run);
        Ok(())
    }

    /// Stops all runs, waits a while until they are kept, and drops their schemas. Nothing can be started any more.
    pub async fn close(&self) {
        self.0.closing.store(true, Ordering::SeqCst);
        // A start that is under way comes before the list is read.
        drop(self.0.starting.lock().await);
        let entries: Vec<Arc<Entry>> = self.0.entries().values().cloned().collect();
        entries.iter().for_each(|entry| entry.stop());
        let all_settled = async {
            for entry in &entries {
                // The sender lives in the entry.
                let _ = entry.settled.subscribe().wait_for(|settled| *settled).await;
            }
        };
        if tokio::time::timeout(FAREWELL, all_settled).await.is_err() {
            tracing::warn!("not every run could be kept before the server ends");
        }
        if tokio::time::timeout(FAREWELL, keeper::clear_schemas(&self.0, 0)).await.is_err() {
            tracing::warn!("not every schema could be dropped; the next start does it");
        }
    }
}

impl Inner {
    pub(super) fn entries(&self) -> MutexGuard<'_, BTreeMap<RunId, Arc<Entry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn start(self: Arc<Inner>, scenario: Scenario) -> Result<RunInfo, RunError> {
        scenario.check().map_err(RunError::BadScenario)?;
        let _turn = self.starting.lock().await;
        self.admit(&scenario)?;
        let (engine, id) = self.enter(&scenario).await?;
        tracing::info!(run = id.0, mode = ?scenario.mode, workers = scenario.workers, jobs = scenario.jobs, "run starts");
        let hub = Hub::new(id, self.limits.viewers);
        let (sender, events) = mpsc::unbounded_channel();
        let player = engine.play(id, scenario.clone(), sender);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let entry = Arc::new(Entry {
            started_at: i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX),
            player: Some(player),
            ..self.entry(id, scenario, hub)
        });
        self.entries().insert(id, entry.clone());
        tokio::spawn(keeper::look_after(self.clone(), entry.clone(), events));
        Ok(self.info(&entry))
    }

    /// A number for the run. A database that has just gone may be back within the time that a start waits.
    async fn enter(&self, scenario: &Scenario) -> Result<(Arc<dyn Engine>, RunId), RunError> {
        let deadline = Instant::now() + self.limits.patience;
        loop {
            let engine = self.database.wait_for(deadline.saturating_duration_since(Instant::now())).await?;
            engine.check_fits(scenario).await.map_err(|error| RunError::BadScenario(vec![error]))?;
            match engine.enter(scenario).await {
                Ok(id) => return Ok((engine, id)),
                Err(error) if error.is_lost() => self.database.doubt(&error),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// An entry of a run that is over and kept.
    fn entry(&self, id: RunId, scenario: Scenario, hub: Arc<Hub>) -> Entry {
        let going = !hub.is_over();
        Entry {
            id,
            scenario,
            started_at: 0,
            hub,
            player: None,
            stopping: AtomicBool::new(false),
            has_schema: AtomicBool::new(going),
            settled: watch::Sender::new(!going),
            used: AtomicU64::new(self.uses.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// Whether one more run may begin.
    fn admit(&self, scenario: &Scenario) -> Result<(), RunError> {
        if self.closing.load(Ordering::SeqCst) {
            return Err(RunError::Closing);
        }
        let entries = self.entries();
        let going: Vec<&Arc<Entry>> = entries.values().filter(|entry| !entry.hub.is_over()).collect();
        if going.len() >= self.limits.runs as usize {
            return Err(RunError::TooManyRuns { max: self.limits.runs });
        }
        // An open snapshot holds back vacuum in the whole database: its run and any other would spoil each other's figures.
        if let Some(other) = going.iter().find(|entry| entry.scenario.open_snapshot) {
            return Err(RunError::AnotherIsExclusive { run: other.id });
        }
        match going.first() {
            Some(other) if scenario.open_snapshot => Err(RunError::MustBeAlone { run: other.id }),
            _ => Ok(()),
        }
    }

    /// The run, from memory or else from the database.
    async fn find(&self, run: RunId) -> Result<Arc<Entry>, RunError> {
        let known = self.entries().get(&run).cloned();
        if let Some(entry) = known {
            entry.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
            return Ok(entry);
        }
        let (stored, pieces) = self.database.engine()?.load(run).await?.ok_or(RunError::NoSuchRun(run))?;
        let viewers = self.limits.viewers;
        let read = tokio::task::spawn_blocking(move || {
            log::expand(&pieces).map(|events| Hub::of_events(run, viewers, &events))
        });
        let hub = read.await.map_err(|panic| RunError::Fault(panic.to_string()))?;
        let hub = hub.map_err(|error| RunError::Unreadable { run, why: error.to_string() })?;
        if !hub.is_over() {
            return Err(RunError::Unreadable { run, why: "its last event is missing".into() });
        }
        let started_at = stored.started_at;
        let entry = Arc::new(Entry { started_at, ..self.entry(run, stored.scenario, hub) });
        // Another reader may have been quicker: all share one.
        let entry = self.entries().entry(run).or_insert(entry).clone();
        keeper::evict(self);
        Ok(entry)
    }

    fn info(&self, entry: &Entry) -> RunInfo {
        entry.info(self.database.engine().ok().as_deref())
    }
}

fn worker_of(what: &Intervention) -> Option<WorkerId> {
    match what {
        Intervention::Break { worker, .. } | Intervention::Clear { worker, .. } | Intervention::Resume { worker } => {
            *worker
        }
        Intervention::Step { worker } | Intervention::Crash { worker } => Some(*worker),
    }
}
