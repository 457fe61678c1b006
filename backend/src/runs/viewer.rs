//! One viewer of a run: what to send next, at the pace at which it is taken.

use super::hub::{Hub, Tip};
use rowlock_shared::wire::{ToViewer, VERSION};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

/// Least time between two messages with events: one a screen's frame.
pub const FRAME: Duration = Duration::from_millis(16);

/// A viewer that is behind by more events than this gets a snapshot instead of them: about a second of the wildest run.
pub const MAX_BEHIND: u64 = 20_000;

/// Most events in one message, about 250 kB of text.
const MAX_EVENTS: usize = 2_000;

/// Least time between a snapshot that a viewer asked for and the message before it: a snapshot is the one message that
/// takes real work, and may not be had in a loop.
const SNAPSHOT_PAUSE: Duration = Duration::from_secs(1);

/// A reader of a [`Hub`].
#[derive(Debug)]
pub struct Viewer {
    hub: Arc<Hub>,
    tip: watch::Receiver<Tip>,
    /// The last event that was handed out.
    seen: u64,
    dropped: u64,
    needs_snapshot: bool,
    end_told: bool,
    next_at: Instant,
    _seat: OwnedSemaphorePermit,
}

impl Viewer {
    pub(super) fn new(hub: Arc<Hub>, after: Option<u64>, seat: OwnedSemaphorePermit) -> Viewer {
        let tip = hub.tip();
        // A number from the future is of another run or another server.
        let after = after.filter(|seq| *seq <= tip.borrow().seq);
        Viewer {
            hub,
            tip,
            seen: after.unwrap_or(0),
            dropped: 0,
            needs_snapshot: after.is_none(),
            end_told: false,
            next_at: Instant::now(),
            _seat: seat,
        }
    }

    /// The next message ([`ToViewer`] as JSON), as soon as there is one and the frame's time is over. After the end there
    /// is none: it waits for ever. May be dropped and called again: nothing is lost.
    pub async fn next(&mut self) -> String {
        tokio::time::sleep_until(self.next_at).await;
        loop {
            let tip = *self.tip.borrow_and_update();
            if let Some(message) = self.message(tip) {
                self.next_at = Instant::now() + FRAME;
                return message;
            }
            if self.tip.changed().await.is_err() {
                // The hub is held here, and its sender with it.
                std::future::pending::<()>().await;
            }
        }
    }

    /// The next message is to be a snapshot.
    pub fn resync(&mut self) {
        self.needs_snapshot = true;
        self.next_at = self.next_at.max(Instant::now() + SNAPSHOT_PAUSE);
    }

    /// Events that were not handed out one by one because the viewer was too slow.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    fn message(&mut self, tip: Tip) -> Option<String> {
        let behind = tip.seq.saturating_sub(self.seen);
        if self.needs_snapshot || behind > MAX_BEHIND {
            return Some(self.snapshot());
        }
        if behind > 0 {
            return Some(self.events());
        }
        if tip.ended && !self.end_told {
            self.end_told = true;
            let summary = Box::new(self.hub.world().summary());
            return Some(text_of(&ToViewer::End { summary }));
        }
        None
    }

    fn snapshot(&mut self) -> String {
        let (world, recent) = self.hub.snapshot();
        if !self.needs_snapshot {
            self.dropped += world.seq - self.seen;
        }
        self.needs_snapshot = false;
        self.seen = world.seq;
        // Copied here so that the writer need not copy when its next event comes.
        let copy = Box::new((*world).clone());
        drop(world);
        let (run, dropped) = (self.hub.run(), self.dropped);
        text_of(&ToViewer::Snapshot { version: VERSION, run, world: copy, recent, dropped })
    }

    /// [`ToViewer::Events`], put together from text that is written down already.
    fn events(&mut self) -> String {
        let segments = self.hub.after(self.seen, MAX_EVENTS);
        let mut text = String::from(r#"{"type":"events","events":["#);
        let from = self.seen;
        let lines = segments.iter().flat_map(|segment| segment.after(from)).take(MAX_EVENTS);
        for (index, (seq, line)) in lines.enumerate() {
            if index > 0 {
                text.push(',');
            }
            text += line;
            self.seen = seq;
        }
        text += "]}";
        text
    }
}

fn text_of(message: &ToViewer) -> String {
    // Wire messages are plain records: to write one as JSON cannot fail.
    serde_json::to_string(message).unwrap_or_default()
}
