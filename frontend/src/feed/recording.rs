//! A recording: events read from a file, told again at their own pace or at once.

use super::Pace;
use crate::browser;
use crate::store::{Link, News};
use gloo_timers::future::TimeoutFuture;
use rowlock_shared::event::Event;
use rowlock_shared::wire::ToViewer;
use yew::Callback;

/// Events told in one go when there is no pace to keep: about a frame's worth of folding.
const BATCH: usize = 2_000;

/// The least time between two messages, ms, as in a live stream.
const FRAME_MS: u32 = 16;

/// Plays a recording to its end.
pub(super) async fn play(events: Vec<Event>, pace: Pace, news: Callback<News>) {
    news.emit(News::Link(Link::Replaying));
    let begun = browser::now_ms();
    let mut rest = events.as_slice();
    while !rest.is_empty() {
        let count = match pace {
            Pace::AtOnce => rest.len().min(BATCH),
            Pace::RealTime => {
                let now_us = ((browser::now_ms() - begun) * 1000.0).max(0.0) as u64;
                rest.partition_point(|event| event.at <= now_us).min(BATCH)
            }
        };
        let (due, later) = rest.split_at(count);
        rest = later;
        if !due.is_empty() {
            news.emit(News::Message(Box::new(ToViewer::Events { events: due.to_vec() })));
        }
        TimeoutFuture::new(if pace == Pace::AtOnce { 0 } else { FRAME_MS }).await;
    }
    news.emit(News::Link(Link::Over));
}
