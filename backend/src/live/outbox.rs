//! Events on their way from a run's thread to the server's.

use super::driver::MAX_EVENTS;
use rowlock_shared::event::{Event, What};
use std::cell::RefCell;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

/// How long an event may wait for others, so that the receiving thread wakes once for all of them: a quarter of the
/// stream's frame. Waking it for each event cost a tenth of a throughput run's speed.
const DELAY: Duration = Duration::from_millis(4);

/// Collects events and hands them over in batches.
pub(super) struct Outbox {
    events: UnboundedSender<Event>,
    waiting: RefCell<Vec<Event>>,
    filled: Notify,
}

impl Outbox {
    /// An empty one.
    pub(super) fn new(events: UnboundedSender<Event>) -> Outbox {
        Outbox { events, waiting: RefCell::default(), filled: Notify::new() }
    }

    /// Takes an event. The run's last one goes out at once, with all before it.
    pub(super) fn put(&self, event: Event) {
        let last = matches!(event.what, What::RunEnded { .. });
        if event.seq > MAX_EVENTS && !last {
            return;
        }
        let first = {
            let mut waiting = self.waiting.borrow_mut();
            waiting.push(event);
            waiting.len() == 1
        };
        if last {
            self.send();
        } else if first {
            self.filled.notify_one();
        }
    }

    /// Hands over what came in, until it is dropped.
    pub(super) async fn deliver(&self) {
        loop {
            self.filled.notified().await;
            tokio::time::sleep(DELAY).await;
            self.send();
        }
    }

    fn send(&self) {
        for event in self.waiting.take() {
            // A receiver that is gone wants nothing more.
            let _ = self.events.send(event);
        }
    }
}
