//! Where events come from: a live run's WebSocket or a recording, behind one interface. Dropping the feed ends it.

mod live;
mod recording;
mod sequence;

use crate::store::News;
use futures_util::future::{AbortHandle, abortable};
use rowlock_shared::event::Event;
use rowlock_shared::wire::RunId;
use std::future::Future;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

/// How a recording is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As fast as it can be taken in.
    AtOnce,
    /// As fast as it happened.
    RealTime,
}

/// With what a live feed begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// The first event: log and timeline are whole.
    FirstEvent,
    /// A picture of the present, for a run that is too long to be told from its beginning.
    Picture,
}

/// A feed.
#[derive(Debug)]
pub(crate) struct Feed {
    task: AbortHandle,
}

impl Feed {
    /// A run on the server, followed to its end over any number of broken connections.
    pub(crate) fn live(run: RunId, begin: Begin, news: Callback<News>) -> Feed {
        Feed::spawn(live::follow(run, begin, news))
    }

    /// A recording.
    pub(crate) fn recording(events: Vec<Event>, pace: Pace, news: Callback<News>) -> Feed {
        Feed::spawn(recording::play(events, pace, news))
    }

    fn spawn(task: impl Future<Output = ()> + 'static) -> Feed {
        let (task, handle) = abortable(task);
        spawn_local(async move {
            // Aborted is what it is when the feed was dropped.
            let _ = task.await;
        });
        Feed { task: handle }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.task.abort();
    }
}
