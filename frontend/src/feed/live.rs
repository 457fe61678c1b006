//! A run's WebSocket: resumed with `after=` when it breaks, resynchronised when something is missing.

use super::Begin;
use super::sequence::{Follows, follows};
use crate::api::{self, Problem};
use crate::browser;
use crate::store::{Link, News};
use futures_util::future::{Either, select};
use futures_util::{SinkExt, StreamExt};
use gloo_net::websocket::futures::WebSocket;
use gloo_net::websocket::{Message, WebSocketError};
use gloo_timers::future::TimeoutFuture;
use rowlock_shared::wire::{ErrorCode, FromViewer, RunId, ToViewer};
use yew::Callback;

/// Silence after which the server is asked whether it is still there, ms; after as much again the connection is given up.
const SILENCE_MS: u32 = 10_000;

/// Pauses before the next try to connect, ms; the last one repeats.
const BACKOFF_MS: [u32; 5] = [250, 500, 1_000, 2_000, 5_000];

enum End {
    /// Everything was received.
    Over,
    /// The server does not know the run any more.
    Gone,
    /// The connection broke.
    Broken,
}

/// Follows a run to its end.
pub(super) async fn follow(run: RunId, begin: Begin, news: Callback<News>) {
    let mut last = 0;
    let mut failures = 0;
    loop {
        let before = last;
        match connection(run, begin, &mut last, &news).await {
            End::Over => return news.emit(News::Link(Link::Over)),
            End::Gone => return news.emit(News::Link(Link::Gone)),
            End::Broken => {}
        }
        failures = if last > before { 1 } else { failures + 1 };
        // Why a handshake was refused, a page is not told; the same question by REST is answered.
        if last == before && is_gone(run).await {
            return news.emit(News::Link(Link::Gone));
        }
        news.emit(News::Link(Link::Reconnecting(failures)));
        let pause = BACKOFF_MS[(failures as usize - 1).min(BACKOFF_MS.len() - 1)];
        TimeoutFuture::new(pause).await;
    }
}

async fn is_gone(run: RunId) -> bool {
    matches!(api::run(run).await, Err(Problem::Refused(error)) if error.code == ErrorCode::NotFound)
}

async fn connection(run: RunId, begin: Begin, last: &mut u64, news: &Callback<News>) -> End {
    let with_picture = *last == 0 && begin == Begin::Picture;
    let after = if with_picture { String::new() } else { format!("?after={last}") };
    let Some(url) = browser::socket_url(&format!("api/runs/{run}/stream{after}")) else { return End::Gone };
    let Ok(mut socket) = WebSocket::open(&url) else { return End::Broken };
    let mut asked = false;
    loop {
        let next = match select(socket.next(), TimeoutFuture::new(SILENCE_MS)).await {
            Either::Left((next, _)) => next,
            Either::Right(_) if asked => return End::Broken,
            Either::Right(_) => {
                asked = true;
                if say(&mut socket, &FromViewer::Ping { nonce: *last }).await.is_err() {
                    return End::Broken;
                }
                continue;
            }
        };
        asked = false;
        let Some(Ok(Message::Text(text))) = next else { return End::Broken };
        let message = match serde_json::from_str::<ToViewer>(&text) {
            Ok(message) => message,
            Err(why) => {
                news.emit(News::Unreadable(why.to_string()));
                continue;
            }
        };
        match &message {
            ToViewer::Snapshot { world, .. } => {
                *last = world.seq;
                news.emit(News::Link(Link::Live));
            }
            ToViewer::Events { events } => match follows(*last, events) {
                Follows::Yes => {
                    *last = events.last().map_or(*last, |event| event.seq);
                    news.emit(News::Link(Link::Live));
                }
                Follows::Known => continue,
                Follows::Gap => {
                    if say(&mut socket, &FromViewer::Resync).await.is_err() {
                        return End::Broken;
                    }
                    continue;
                }
            },
            ToViewer::End { .. } => {
                news.emit(News::Message(Box::new(message)));
                return End::Over;
            }
            ToViewer::Error { error } if error.code == ErrorCode::NotFound => return End::Gone,
            ToViewer::Pong { .. } | ToViewer::Error { .. } => {}
        }
        news.emit(News::Message(Box::new(message)));
    }
}

async fn say(socket: &mut WebSocket, message: &FromViewer) -> Result<(), WebSocketError> {
    // Two small enums of numbers: they always become JSON.
    let text = serde_json::to_string(message).unwrap_or_default();
    socket.send(Message::Text(text)).await
}
