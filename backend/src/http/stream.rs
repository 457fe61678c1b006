//! The WebSocket of one viewer.

use super::Site;
use super::api::RunPath;
use super::error::{Answer, Refusal};
use crate::runs::Viewer;
use axum::extract::rejection::QueryRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Path, Query, State};
use axum::response::Response;
use rowlock_shared::text;
use rowlock_shared::wire::{ErrorCode, FromViewer, ToViewer};
use serde::Deserialize;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::Instrument;

/// Between two pings of the server.
const PING: Duration = Duration::from_secs(15);

/// A viewer that says nothing for so long, not even a pong, is gone; so is one that takes nothing for so long.
const PATIENCE: Duration = Duration::from_secs(40);

/// Most bytes that a viewer's message may have; none of them needs more than 60.
const MAX_MESSAGE: usize = 4 << 10;

/// Above this a message is not even read, and the socket ends: between the two a viewer is told what is wrong.
const MAX_READ: usize = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resume {
    /// The last event that the viewer has.
    after: Option<u64>,
}

pub(super) async fn stream(
    State(site): State<Site>,
    run: RunPath,
    resume: Result<Query<Resume>, QueryRejection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Answer<Response> {
    let (Path(run), Query(resume), upgrade) = (run?, resume?, upgrade?);
    let viewer = site.runs.watch(run, resume.after).await?;
    let span = tracing::debug_span!("viewer", run = run.0, after = resume.after);
    let upgrade = upgrade.max_message_size(MAX_READ).max_frame_size(MAX_READ);
    Ok(upgrade.on_upgrade(move |socket| feed(socket, viewer, site.closing).instrument(span)))
}

async fn feed(mut socket: WebSocket, mut viewer: Viewer, mut closing: watch::Receiver<bool>) {
    let mut ping = tokio::time::interval_at(Instant::now() + PING, PING);
    let mut heard = Instant::now();
    loop {
        let message = tokio::select! {
            biased;
            () = closed(&mut closing) => {
                let frame = CloseFrame { code: close_code::AWAY, reason: "the server ends".into() };
                let _ = send(&mut socket, Message::Close(Some(frame))).await;
                break;
            }
            _ = ping.tick() => {
                if heard.elapsed() > PATIENCE {
                    break;
                }
                Message::Ping(Default::default())
            }
            received = socket.recv() => {
                heard = Instant::now();
                match received {
                    None | Some(Err(_)) => break,
                    Some(Ok(message)) => match answer(message, &mut viewer) {
                        Some(answer) => answer,
                        None => continue,
                    },
                }
            }
            text = viewer.next() => Message::Text(text.into()),
        };
        if send(&mut socket, message).await.is_err() {
            break;
        }
    }
    tracing::debug!(dropped = viewer.dropped(), "a viewer left");
}

/// Waits for the server's end.
async fn closed(closing: &mut watch::Receiver<bool>) {
    // An error means that whoever could say so is gone: that is the end as well.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// Sends, or gives up on a viewer that does not take it.
async fn send(socket: &mut WebSocket, message: Message) -> Result<(), ()> {
    match tokio::time::timeout(PATIENCE, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(()),
    }
}

/// What to say to a viewer's message, if anything.
fn answer(message: Message, viewer: &mut Viewer) -> Option<Message> {
    let text = match message {
        Message::Text(text) if text.len() <= MAX_MESSAGE => text,
        Message::Text(text) => {
            let message =
                text::Message::new("server-message-too-large").with("max", MAX_MESSAGE).with("size", text.len());
            return Some(error(Refusal::new(ErrorCode::TooLarge, message)));
        }
        Message::Binary(_) => {
            return Some(error(Refusal::new(ErrorCode::BadMessage, text::Message::new("server-binary-message"))));
        }
        // Pings of the protocol are answered below us.
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => return None,
    };
    match serde_json::from_str(&text) {
        Ok(FromViewer::Ping { nonce }) => Some(json(&ToViewer::Pong { nonce })),
        Ok(FromViewer::Resync) => {
            viewer.resync();
            None
        }
        Err(why) => Some(error(Refusal::unreadable(why))),
    }
}

fn error(refusal: Refusal) -> Message {
    json(&ToViewer::Error { error: refusal.into_error() })
}

fn json(message: &ToViewer) -> Message {
    // Wire messages are plain records: to write one as JSON cannot fail.
    Message::Text(serde_json::to_string(message).unwrap_or_default().into())
}
