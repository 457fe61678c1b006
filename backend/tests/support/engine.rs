//! An engine without a database: the test itself is what happens in a run.

use rowlock_backend::live::{Keep, LiveError, StoredRun};
use rowlock_backend::runs::{Answer, Engine, Player};
use rowlock_shared::event::{EndReason, Event, Evidence, What};
use rowlock_shared::ids::Actor;
use rowlock_shared::scenario::{KnobError, Scenario};
use rowlock_shared::text::Message;
use rowlock_shared::wire::{Intervention, RunId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::UnboundedSender;

type Kept = BTreeMap<RunId, (StoredRun, Vec<Vec<u8>>)>;

#[derive(Default)]
struct Inner {
    next: u32,
    stages: BTreeMap<RunId, Arc<Mutex<Stage>>>,
    kept: Kept,
    cleared: Vec<RunId>,
    lost: bool,
}

struct Stage {
    events: Option<UnboundedSender<Event>>,
    seq: u64,
    interventions: Vec<Intervention>,
}

/// It. Clones share what they hold.
#[derive(Clone, Default)]
pub(crate) struct StandIn(Arc<Mutex<Inner>>);

impl StandIn {
    /// Something happens in a run.
    pub(crate) fn happens(&self, run: RunId, what: What) {
        let stage = self.stage(run);
        let mut stage = stage.lock().unwrap();
        stage.seq += 1;
        let event = Event { seq: stage.seq, at: stage.seq, who: Actor::Run, evidence: Evidence::Executed, what };
        stage.events.as_ref().unwrap().send(event).unwrap();
    }

    /// These events come, numbered as they are.
    pub(crate) fn comes(&self, run: RunId, events: &[Event]) {
        let stage = self.stage(run);
        let mut stage = stage.lock().unwrap();
        for event in events {
            stage.seq = event.seq;
            stage.events.as_ref().unwrap().send(event.clone()).unwrap();
        }
    }

    /// The run ends.
    pub(crate) fn ends(&self, run: RunId, reason: EndReason) {
        self.happens(run, What::RunEnded { reason, detail: String::new() });
        self.dies(run);
    }

    /// The run's thread is gone.
    pub(crate) fn dies(&self, run: RunId) {
        self.stage(run).lock().unwrap().events = None;
    }

    /// What was done to a run.
    pub(crate) fn interventions(&self, run: RunId) -> Vec<Intervention> {
        self.stage(run).lock().unwrap().interventions.clone()
    }

    /// Runs that are kept.
    pub(crate) fn kept(&self) -> Vec<RunId> {
        self.0.lock().unwrap().kept.keys().copied().collect()
    }

    /// Schemas that were dropped, in order.
    pub(crate) fn cleared(&self) -> Vec<RunId> {
        self.0.lock().unwrap().cleared.clone()
    }

    /// From now on every statement fails as if the connection broke; or no longer.
    pub(crate) fn set_lost(&self, lost: bool) {
        self.0.lock().unwrap().lost = lost;
    }

    fn stage(&self, run: RunId) -> Arc<Mutex<Stage>> {
        self.0.lock().unwrap().stages[&run].clone()
    }

    fn answer<T: Send + 'static>(&self, work: impl FnOnce(&mut Inner) -> T) -> Answer<'static, T> {
        let mut inner = self.0.lock().unwrap();
        let answer = match inner.lost {
            true => Err(LiveError::Statement { what: "the stand-in", source: sqlx::Error::PoolClosed }),
            false => Ok(work(&mut inner)),
        };
        Box::pin(std::future::ready(answer))
    }
}

struct Puppet {
    stand_in: StandIn,
    run: RunId,
}

impl Player for Puppet {
    fn intervene(&self, what: Intervention) {
        self.stand_in.stage(self.run).lock().unwrap().interventions.push(what);
    }

    fn stop(&self) {
        self.stand_in.ends(self.run, EndReason::Stopped);
    }
}

impl Engine for StandIn {
    fn version(&self) -> String {
        "a stand-in".into()
    }

    fn notices(&self) -> Vec<Message> {
        Vec::new()
    }

    fn psql_line(&self, run: RunId) -> String {
        format!("psql {run}")
    }

    fn check_fits<'a>(
        &'a self,
        _: &'a Scenario,
    ) -> std::pin::Pin<Box<dyn Future<Output = Result<(), KnobError>> + Send + 'a>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn enter<'a>(&'a self, _: &'a Scenario) -> Answer<'a, RunId> {
        self.answer(|inner| {
            inner.next += 1;
            RunId(inner.next)
        })
    }

    fn play(&self, run: RunId, _: Scenario, events: UnboundedSender<Event>) -> Box<dyn Player> {
        let stage = Stage { events: Some(events), seq: 0, interventions: Vec::new() };
        self.0.lock().unwrap().stages.insert(run, Arc::new(Mutex::new(stage)));
        Box::new(Puppet { stand_in: self.clone(), run })
    }

    fn save<'a>(&'a self, run: &'a StoredRun, pieces: &'a [Vec<u8>]) -> Answer<'a, ()> {
        let (run, pieces) = (run.clone(), pieces.to_vec());
        self.answer(move |inner| {
            inner.kept.insert(run.id, (run, pieces));
        })
    }

    fn list(&self) -> Answer<'_, Vec<StoredRun>> {
        self.answer(|inner| inner.kept.values().rev().map(|(run, _)| run.clone()).collect())
    }

    fn load(&self, run: RunId) -> Answer<'_, Option<(StoredRun, Vec<Vec<u8>>)>> {
        self.answer(move |inner| inner.kept.get(&run).cloned())
    }

    fn clear(&self, run: RunId) -> Answer<'_, ()> {
        self.answer(move |inner| inner.cleared.push(run))
    }

    fn delete(&self, run: RunId) -> Answer<'_, ()> {
        self.answer(move |inner| {
            inner.cleared.push(run);
            inner.kept.remove(&run);
        })
    }

    fn prune(&self, _: Keep) -> Answer<'_, Vec<RunId>> {
        self.answer(|_| Vec::new())
    }
}
