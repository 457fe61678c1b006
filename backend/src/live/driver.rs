//! One live run: its own thread with a single-threaded runtime, so that nothing in the queue program needs to be `Send`.

use super::clock::WallClock;
use super::observer;
use super::outbox::Outbox;
use super::postgres::Postgres;
use super::schema;
use super::session::{Live, RunDatabase};
use rowlock_shared::event::{EndReason, Event, Evidence, What};
use rowlock_shared::ids::{Actor, WorkerId};
use rowlock_shared::program::{self, Breakpoints, Knobs, Pulse, Run};
use rowlock_shared::scenario::{Arrival, Scenario, WakeUp};
use rowlock_shared::wire::{Intervention, RunId};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, LocalSet};

/// Most events of one run. A retry storm of 64 workers makes about 20,000 a second; this is their minute, and about
/// 200 MB.
pub const MAX_EVENTS: u64 = 1_200_000;

/// A run that goes on.
#[derive(Debug, Clone)]
pub struct LiveRun {
    orders: UnboundedSender<Order>,
}

#[derive(Debug)]
enum Order {
    Intervene(Intervention),
    Stop,
}

impl LiveRun {
    /// Does what a person asked for; nothing if the run is over.
    pub fn intervene(&self, what: Intervention) {
        let _ = self.orders.send(Order::Intervene(what));
    }

    /// Asks the run to stop; it is over when its last event, `RunEnded`, arrives.
    pub fn stop(&self) {
        let _ = self.orders.send(Order::Stop);
    }
}

/// Starts a run. Its last event is `RunEnded`, after which the sender is dropped.
pub fn start(postgres: Postgres, run: RunId, scenario: Scenario, events: UnboundedSender<Event>) -> LiveRun {
    let (orders, inbox) = unbounded_channel();
    let spawned = std::thread::Builder::new().name(format!("run-{run}")).spawn(move || {
        let span = tracing::info_span!("run", id = run.0);
        let _entered = span.enter();
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(LocalSet::new().run_until(drive(postgres, run, scenario, events, inbox))),
            Err(error) => tracing::error!(%error, "no runtime for the run"),
        }
    });
    if let Err(error) = spawned {
        tracing::error!(%error, run = run.0, "no thread for the run");
    }
    LiveRun { orders }
}

async fn drive(
    postgres: Postgres,
    id: RunId,
    scenario: Scenario,
    events: UnboundedSender<Event>,
    mut inbox: UnboundedReceiver<Order>,
) {
    let prepared = schema::prepare(&postgres, id, &scenario).await;
    let stage = Stage::new(&postgres, id, &scenario, events);
    let run = &stage.run;
    run.tell(Actor::Run, What::RunBegan { scenario: Box::new(scenario.clone()), engine: postgres.version() });
    if let Err(error) = prepared {
        let reason = if error.is_lost() { EndReason::DatabaseLost } else { EndReason::Failed };
        run.tell(Actor::Run, What::RunEnded { reason, detail: error.to_string() });
        return;
    }
    for message in postgres.notices() {
        run.tell(Actor::Run, What::Notice { message });
    }
    stage.spawn_cast(&postgres, id, &scenario);
    let over = run.over();
    tokio::pin!(over);
    let (reason, detail) = loop {
        tokio::select! {
            biased;
            verdict = &mut over => break verdict,
            order = inbox.recv() => match order {
                Some(Order::Intervene(what)) => stage.points.intervene(&what),
                Some(Order::Stop) | None => run.end(EndReason::Stopped, ""),
            },
        }
    };
    stage.clear_away(reason).await;
    run.tell(Actor::Run, What::RunEnded { reason, detail });
}

/// Everything that a run's thread keeps together.
struct Stage {
    run: Rc<Run<Live>>,
    points: Rc<Breakpoints>,
    pulse: Rc<Pulse>,
    cast: RefCell<Vec<JoinHandle<()>>>,
}

impl Stage {
    fn new(postgres: &Postgres, id: RunId, scenario: &Scenario, events: UnboundedSender<Event>) -> Stage {
        let points = Rc::new(Breakpoints::default());
        let pulse = Rc::new(Pulse::default());
        let full = Rc::new(Cell::new(false));
        let outbox = Rc::new(Outbox::new(events));
        let sink = {
            let (pulse, full, outbox) = (pulse.clone(), full.clone(), outbox.clone());
            Box::new(move |event: Event| {
                pulse.feel(&event);
                full.set(event.seq >= MAX_EVENTS);
                outbox.put(event);
            })
        };
        let database = RunDatabase::new(postgres.clone(), id, scenario);
        let knobs = Knobs::new(scenario.clone());
        let run = Run::new(knobs, database, WallClock::start(), points.clone(), Evidence::Executed, sink);
        let teller = Rc::downgrade(&run);
        points.tell_through(Box::new(move |who, what| {
            if let Some(run) = teller.upgrade() {
                run.tell(who, what);
            }
        }));
        let stage = Stage { run, points, pulse, cast: RefCell::default() };
        stage.watch_event_limit(full);
        stage.spawn(async move { outbox.deliver().await });
        stage
    }

    fn spawn(&self, part: impl Future<Output = ()> + 'static) {
        self.cast.borrow_mut().push(tokio::task::spawn_local(part));
    }

    fn watch_event_limit(&self, full: Rc<Cell<bool>>) {
        let run = self.run.clone();
        self.spawn(async move {
            while !full.get() {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
            run.end(EndReason::EventLimit, MAX_EVENTS.to_string());
        });
    }

    /// Everyone takes the stage: bystander and producer's burst first, so that the workers meet what the scenario says.
    fn spawn_cast(&self, postgres: &Postgres, id: RunId, scenario: &Scenario) {
        let run = &self.run;
        if scenario.observer {
            let (postgres, run, pulse) = (postgres.clone(), run.clone(), self.pulse.clone());
            self.spawn(async move { observer::observe(&postgres, id, &run, &pulse).await });
        }
        let ready = Rc::new(tokio::sync::Semaphore::new(0));
        if scenario.open_snapshot {
            let (run, ready) = (run.clone(), ready.clone());
            self.spawn(async move { program::bystander(&run, || ready.add_permits(1)).await });
        } else {
            ready.add_permits(1);
        }
        let burst = scenario.arrival == Arrival::Burst;
        let doors = Rc::new(tokio::sync::Semaphore::new(0));
        {
            let (run, ready, doors) = (run.clone(), ready, doors.clone());
            self.spawn(async move {
                if ready.acquire().await.is_err() {
                    return;
                }
                if burst {
                    program::producer(&run).await;
                    doors.add_permits(tokio::sync::Semaphore::MAX_PERMITS >> 1);
                } else {
                    doors.add_permits(tokio::sync::Semaphore::MAX_PERMITS >> 1);
                    program::producer(&run).await;
                }
            });
        }
        for n in 1..=scenario.workers {
            let (run, doors) = (run.clone(), doors.clone());
            self.spawn(async move {
                if doors.acquire().await.is_ok() {
                    program::worker(&run, WorkerId(n)).await;
                }
            });
        }
        let held = scenario.shape == rowlock_shared::scenario::Shape::Hold;
        if scenario.reaper {
            let run = run.clone();
            self.spawn(async move { program::reaper(&run).await });
        }
        if scenario.heartbeat && !held {
            let run = run.clone();
            self.spawn(async move { program::heartbeat(&run).await });
        }
        if scenario.wake_up != WakeUp::Poll {
            let run = run.clone();
            self.spawn(async move { program::listener(&run).await });
        }
        let run = run.clone();
        self.spawn(async move { program::umpire(&run).await });
    }

    /// Drops every session, as a killed process would, and ends their backends: some may wait in statements whose
    /// client is gone, and would not notice (DESIGN.md, fact 9).
    async fn clear_away(&self, reason: EndReason) {
        for part in self.cast.take() {
            part.abort();
            let _ = part.await;
        }
        if reason == EndReason::DatabaseLost {
            return;
        }
        if let Err(error) = self.run.database.terminate_all().await {
            tracing::warn!(%error, "backends of the run could not be ended");
        }
    }
}
