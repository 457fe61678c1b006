//! One run's events, folded and ready to be read by any number of viewers.

use super::error::RunError;
use super::log::Segment;
use super::viewer::Viewer;
use rowlock_shared::event::{EndReason, Event, Evidence, What};
use rowlock_shared::ids::Actor;
use rowlock_shared::wire::RunId;
use rowlock_shared::world::World;
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Semaphore, watch};

/// Events that come with a snapshot, for the viewer's log.
const RECENT: usize = 200;

/// Most events folded in one go: the longest that a reader of the log has to wait for the writer is about a millisecond.
const BATCH: usize = 512;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tip {
    /// The last event.
    pub seq: u64,
    /// Whether it is the very last.
    pub ended: bool,
}

/// The log of one run, its world and its viewers.
#[derive(Debug)]
pub struct Hub {
    run: RunId,
    log: RwLock<Log>,
    tip: watch::Sender<Tip>,
    seats: Arc<Semaphore>,
    max_viewers: u32,
}

#[derive(Debug, Default)]
struct Log {
    segments: Vec<Arc<Segment>>,
    recent: VecDeque<Event>,
    /// Shared with whoever makes a snapshot of it; the next event then goes into a copy.
    world: Arc<World>,
}

impl Hub {
    /// An empty hub that lets so many viewers in.
    pub fn new(run: RunId, max_viewers: u32) -> Arc<Hub> {
        let seats = Arc::new(Semaphore::new(max_viewers as usize));
        Arc::new(Hub { run, log: RwLock::default(), tip: watch::Sender::default(), seats, max_viewers })
    }

    /// A hub with the events of a run that is over.
    pub(super) fn of_events(run: RunId, max_viewers: u32, events: &[Event]) -> Arc<Hub> {
        let hub = Hub::new(run, max_viewers);
        for batch in events.chunks(BATCH) {
            hub.append(batch);
        }
        hub
    }

    /// Whose it is.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// Takes in all that comes through the channel until its sender is gone. A run whose thread ends without a last event
    /// gets one here.
    pub async fn collect(&self, mut events: UnboundedReceiver<Event>) {
        let mut batch = Vec::with_capacity(BATCH);
        while events.recv_many(&mut batch, BATCH).await > 0 {
            self.append(&batch);
            batch.clear();
        }
        let tip = *self.tip.borrow();
        if !tip.ended {
            let detail = "the run's thread ended without a word, which is a fault of the server".to_owned();
            let what = What::RunEnded { reason: EndReason::Failed, detail };
            let at = self.world().at;
            self.append(&[Event { seq: tip.seq + 1, at, who: Actor::Run, evidence: Evidence::Executed, what }]);
        }
    }

    /// Takes events in: written down, folded, told to the viewers.
    pub fn append(&self, events: &[Event]) {
        let Some(last) = events.last() else { return };
        let segments = Segment::write(events);
        let mut log = self.log.write().unwrap_or_else(PoisonError::into_inner);
        let world = Arc::make_mut(&mut log.world);
        for event in events {
            world.apply(event);
        }
        let ended = world.ended.is_some();
        log.segments.extend(segments);
        log.recent.extend(events.iter().skip(events.len().saturating_sub(RECENT)).cloned());
        let surplus = log.recent.len().saturating_sub(RECENT);
        log.recent.drain(..surplus);
        drop(log);
        self.tip.send_replace(Tip { seq: last.seq, ended });
    }

    /// A viewer who has seen everything up to event `after`, or nothing yet.
    ///
    /// # Errors
    /// As many watch already as may.
    pub fn watch(self: &Arc<Hub>, after: Option<u64>) -> Result<Viewer, RunError> {
        let seat = self.seats.clone().try_acquire_owned();
        let seat = seat.map_err(|_| RunError::TooManyViewers { max: self.max_viewers })?;
        Ok(Viewer::new(self.clone(), after, seat))
    }

    /// How far the run is, now and whenever that changes.
    pub fn tip(&self) -> watch::Receiver<Tip> {
        self.tip.subscribe()
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.tip.borrow().ended
    }

    /// Waits until the run is over.
    pub async fn over(&self) {
        // The sender lives as long as the hub.
        let _ = self.tip().wait_for(|tip| tip.ended).await;
    }

    /// The world as it is.
    pub fn world(&self) -> Arc<World> {
        self.read().world.clone()
    }

    /// The world and the last events before it.
    pub(super) fn snapshot(&self) -> (Arc<World>, Vec<Event>) {
        let log = self.read();
        (log.world.clone(), log.recent.iter().cloned().collect())
    }

    /// Everything written down so far, as JSON lines in pieces.
    pub fn segments(&self) -> Vec<Arc<Segment>> {
        self.read().segments.clone()
    }

    /// Segments that hold events after `seq`, enough of them for `most` events.
    pub(super) fn after(&self, seq: u64, most: usize) -> Vec<Arc<Segment>> {
        let log = self.read();
        let from = log.segments.partition_point(|segment| segment.last() <= seq);
        let mut room = most as u64;
        let enough = |segment: &&Arc<Segment>| {
            let take = room > 0;
            room = room.saturating_sub(segment.count_after(seq));
            take
        };
        log.segments[from..].iter().take_while(enough).cloned().collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Log> {
        self.log.read().unwrap_or_else(PoisonError::into_inner)
    }
}
