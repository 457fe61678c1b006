//! The store: a reducer over what the feed brings. No I/O and no clock of its own; the world is the fold of the events.

mod clock;
mod lanes;
mod log;

pub(crate) use clock::RunClock;
pub(crate) use lanes::{Lane, Lanes, MarkKind, Segment, SegmentKind};
pub(crate) use log::{Line, Log};

use rowlock_shared::event::Event;
use rowlock_shared::wire::{ApiError, RunId, ToViewer, VERSION};
use rowlock_shared::world::World;
use std::cell::{Ref, RefCell};
use std::rc::Rc;

/// Where the events come from, and whether they still do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Link {
    /// There is no feed.
    #[default]
    Idle,
    /// The first connection is being made.
    Connecting,
    /// Events arrive.
    Live,
    /// The connection broke; this is the how many-th try to resume.
    Reconnecting(u32),
    /// A recording plays.
    Replaying,
    /// Everything has been received.
    Over,
    /// The run is gone from the server.
    Gone,
}

/// What a feed says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum News {
    /// A message of the stream.
    Message(Box<ToViewer>),
    /// The connection changed.
    Link(Link),
    /// A message could not be read: server and page do not fit together.
    Unreadable(String),
}

/// All that the stage shows.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// The world so far.
    pub(crate) world: World,
    /// What happened, as sentences.
    pub(crate) log: Log,
    /// What happened, as lanes of a timeline.
    pub(crate) lanes: Lanes,
    /// The feed's state.
    pub(crate) link: Link,
    /// Events that the server did not send one by one because this viewer was too slow.
    pub(crate) dropped: u64,
    /// The stream's last complaint.
    pub(crate) complaint: Option<ApiError>,
    /// Why a message of the stream could not be read.
    pub(crate) unreadable: Option<String>,
    /// Whether server and page speak different versions.
    pub(crate) wrong_version: bool,
    clock: RunClock,
}

impl Store {
    /// A stage for a run (or a recording) whose first event has not arrived yet.
    pub(crate) fn for_run(run: Option<RunId>) -> Store {
        let link = if run.is_some() { Link::Connecting } else { Link::Replaying };
        Store { link, ..Store::default() }
    }

    /// Takes in what the feed says. `local_ms` is the page's own clock.
    pub(crate) fn reduce(&mut self, news: News, local_ms: f64) {
        match news {
            News::Link(link) => self.link = link,
            News::Unreadable(why) => self.unreadable = Some(why),
            News::Message(message) => match *message {
                ToViewer::Snapshot { version, world, recent, dropped, .. } => {
                    self.wrong_version = version != VERSION;
                    self.dropped = dropped;
                    self.snapshot(*world, &recent);
                    self.clock.heard(self.world.at, local_ms);
                }
                ToViewer::Events { events } => {
                    for event in &events {
                        self.event(event);
                    }
                    self.clock.heard(self.world.at, local_ms);
                }
                ToViewer::End { .. } => self.link = Link::Over,
                ToViewer::Pong { .. } => {}
                ToViewer::Error { error } => self.complaint = Some(error),
            },
        }
    }

    /// The run's time, µs: that of the last event, carried on by the page's clock while the run goes on.
    pub(crate) fn now(&self, local_ms: f64) -> u64 {
        let goes_on = self.world.is_running() && matches!(self.link, Link::Live | Link::Replaying);
        if goes_on { self.clock.now(self.world.at, local_ms) } else { self.world.at }
    }

    fn snapshot(&mut self, world: World, recent: &[Event]) {
        // After a gap the lanes of the missing time stay empty; what was seen is kept.
        let seen = self.world.seq;
        for event in recent.iter().filter(|event| event.seq > seen) {
            self.lanes.event(event);
            self.log.push(event, &world);
        }
        self.lanes.adopt(&world);
        self.world = world;
    }

    /// Folds one event in; one that is known already is passed over.
    fn event(&mut self, event: &Event) {
        if event.seq <= self.world.seq {
            return;
        }
        self.log.push(event, &self.world);
        self.lanes.event(event);
        self.world.apply(event);
    }
}

/// The store as components see it: read only, and equal to another view only while nothing changed.
#[derive(Debug, Clone)]
pub(crate) struct View {
    store: Rc<RefCell<Store>>,
    revision: u64,
}

impl View {
    pub(crate) fn new(store: Rc<RefCell<Store>>, revision: u64) -> View {
        View { store, revision }
    }

    /// The store. Not to be kept beyond a render: the app writes between renders.
    pub(crate) fn read(&self) -> Ref<'_, Store> {
        self.store.borrow()
    }
}

impl PartialEq for View {
    fn eq(&self, other: &View) -> bool {
        Rc::ptr_eq(&self.store, &other.store) && self.revision == other.revision
    }
}

#[cfg(test)]
mod tests;
