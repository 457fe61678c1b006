//! Streams: what a viewer gets, whatever it does and wherever its connection breaks.

#![allow(clippy::unwrap_used)]

mod support;

use futures_util::{SinkExt, StreamExt};
use rowlock_backend::runs::{Hub, Limits, MAX_BEHIND, Viewer};
use rowlock_shared::event::{Event, What};
use rowlock_shared::text::Message;
use rowlock_shared::wire::{ErrorCode, FromViewer, RunId, ToViewer, VERSION};
use rowlock_shared::world::World;
use std::sync::Arc;
use support::{Dice, Server, made_up};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::{WebSocketStream, client_async};

const RUN: RunId = RunId(1);

/// What a page makes of a stream.
#[derive(Default)]
struct Page {
    world: World,
    snapshots: u32,
    dropped: u64,
    over: bool,
}

impl Page {
    /// Takes in a message, and demands that nothing is left out or comes twice.
    fn take(&mut self, text: &str) {
        match serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")) {
            ToViewer::Snapshot { version, run, world, recent, dropped } => {
                assert_eq!((version, run), (VERSION, RUN));
                assert!(recent.last().is_none_or(|event| event.seq == world.seq), "the log ends where the world does");
                assert!(world.seq >= self.world.seq, "no way back");
                (self.world, self.dropped) = (*world, dropped);
                self.snapshots += 1;
            }
            ToViewer::Events { events } => {
                assert!(!events.is_empty());
                for event in &events {
                    assert_eq!(event.seq, self.world.seq + 1, "without gap or repeat");
                    self.world.apply(event);
                }
            }
            ToViewer::End { summary } => {
                assert_eq!(*summary, self.world.summary());
                self.over = true;
            }
            other => panic!("not asked for: {other:?}"),
        }
    }
}

/// Fills a hub in batches of random size, other tasks between them.
async fn fill(hub: Arc<Hub>, events: Vec<Event>, seed: u64) {
    let (mut dice, mut rest) = (Dice(seed), events.as_slice());
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.len().min(1 + dice.roll(60) as usize));
        hub.append(now);
        rest = later;
        tokio::time::sleep(std::time::Duration::from_millis(dice.roll(40))).await;
    }
}

// Time stands still unless everyone waits: frames of 16 ms cost nothing.
#[tokio::test(start_paused = true)]
async fn a_viewer_that_was_cut_off_at_any_place_sees_the_same_world() {
    for seed in 0..60 {
        let all = made_up(seed, 200 + seed * 20);
        let hub = Hub::new(RUN, 8);
        let filling = tokio::spawn(fill(hub.clone(), all.clone(), seed));
        let (mut dice, mut page) = (Dice(seed + 1000), Page::default());
        let mut viewer = hub.watch(None).unwrap();
        while !page.over {
            page.take(&viewer.next().await);
            if !page.over && dice.roll(3) == 0 {
                // Cut, sometimes with a message lost on the way.
                if dice.roll(2) == 0 {
                    let _ = viewer.next().await;
                }
                viewer = hub.watch(Some(page.world.seq)).unwrap();
            }
        }
        filling.await.unwrap();
        assert_eq!(page.world, World::fold(&all), "seed {seed}");
        assert_eq!((page.snapshots, page.dropped), (1, 0), "seed {seed}: a resume needs no snapshot");
    }
}

#[tokio::test(start_paused = true)]
async fn a_number_that_is_too_old_or_unknown_brings_a_snapshot() {
    let count = MAX_BEHIND + 500;
    let all = made_up(7, count);
    let hub = Hub::new(RUN, 8);
    hub.append(&all);
    for (after, snapshots, dropped) in [(None, 1, 0), (Some(0), 1, count), (Some(count + 1), 1, 0), (Some(600), 0, 0)] {
        let mut viewer = hub.watch(after).unwrap();
        let mut page = Page { world: World::fold(&all[..600]), ..Page::default() };
        while !page.over {
            page.take(&viewer.next().await);
        }
        assert_eq!((page.snapshots, page.dropped), (snapshots, dropped), "after {after:?}");
        assert_eq!(page.world, World::fold(&all));
    }
}

/// A viewer that only looks at the numbers: two hundred of them in a debug build would else take a minute.
async fn count_all(mut viewer: Viewer, last: u64) -> u64 {
    let ToViewer::Snapshot { world, .. } = serde_json::from_str(&viewer.next().await).unwrap() else {
        panic!("a snapshot comes first")
    };
    let mut next = world.seq + 1;
    while next <= last {
        let text = viewer.next().await;
        let (start, events) = (r#"{"seq":"#, text.strip_prefix(r#"{"type":"events","events":["#).unwrap());
        let number = |text: &str| text[start.len()..].split(',').next().unwrap().parse::<u64>().unwrap();
        assert_eq!(number(events), next, "without gap or repeat");
        next += events.matches(start).count() as u64;
    }
    assert_eq!(viewer.dropped(), 0);
    next - 1
}

#[tokio::test(start_paused = true)]
async fn one_stuck_viewer_of_two_hundred_disturbs_nobody() {
    let count = MAX_BEHIND + 5_000;
    let all = made_up(9, count);
    let hub = Hub::new(RUN, 200);
    let others: Vec<_> = (1..200).map(|_| tokio::spawn(count_all(hub.watch(None).unwrap(), count))).collect();
    let mut stuck = hub.watch(None).unwrap();
    assert!(hub.watch(None).is_err(), "the two hundred and first finds no seat");
    let mut page = Page::default();
    page.take(&stuck.next().await);
    for batch in all[..40].chunks(10).chain(all[40..].chunks(500)) {
        hub.append(batch);
        tokio::time::sleep(std::time::Duration::from_millis(16)).await;
        if batch[0].seq == 11 {
            page.take(&stuck.next().await);
        }
    }
    for other in others {
        assert_eq!(other.await.unwrap(), count);
    }
    let seen = page.world.seq;
    assert!((1..=20).contains(&seen) && page.dropped == 0, "it got {seen} events before it stuck");
    while !page.over {
        page.take(&stuck.next().await);
    }
    assert_eq!((page.snapshots, page.dropped), (2, count - seen));
    assert_eq!(page.world, World::fold(&all));
    drop(stuck);
    assert!(hub.watch(None).is_ok(), "a seat is free again");
}

type Socket = WebSocketStream<TcpStream>;

async fn join(server: &Server, query: &str, receive_buffer: u32) -> Socket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(receive_buffer).unwrap();
    let stream = socket.connect(server.address).await.unwrap();
    client_async(format!("ws://{}/api/runs/{RUN}/stream{query}", server.address), stream).await.unwrap().0
}

/// The next message, protocol's own aside; `None` when the server closed.
async fn read(socket: &mut Socket) -> Option<String> {
    loop {
        match socket.next().await? {
            Ok(Frame::Text(text)) => return Some(text.to_string()),
            Ok(Frame::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

async fn say(socket: &mut Socket, frame: impl Into<Frame>) -> ToViewer {
    socket.send(frame.into()).await.unwrap();
    serde_json::from_str(&read(socket).await.unwrap()).unwrap()
}

const BUFFER: u32 = 64 << 10;

#[tokio::test]
async fn garbage_gets_a_typed_error_and_the_socket_lives_on() {
    let server = Server::start().await;
    server.begin("{}").await;
    let mut socket = join(&server, "", BUFFER).await;
    let mut page = Page::default();
    page.take(&read(&mut socket).await.unwrap());
    let large = format!(r#"{{"type":"ping","nonce":1,"{}":0}}"#, "x".repeat(10_000));
    let garbage: [(Frame, ErrorCode); 6] = [
        ("{".into(), ErrorCode::BadMessage),
        ("".into(), ErrorCode::BadMessage),
        (r#"{"type":"jump"}"#.into(), ErrorCode::BadMessage),
        (r#"{"type":"ping","nonce":1,"more":2}"#.into(), ErrorCode::BadMessage),
        (vec![0, 159, 146, 150].into(), ErrorCode::BadMessage),
        (large.into(), ErrorCode::TooLarge),
    ];
    for (frame, code) in garbage {
        match say(&mut socket, frame.clone()).await {
            ToViewer::Error { error } => assert_eq!(error.code, code, "{frame:?}"),
            other => panic!("{frame:?}: {other:?}"),
        }
        let ping = serde_json::to_string(&FromViewer::Ping { nonce: 7 }).unwrap();
        assert_eq!(say(&mut socket, ping).await, ToViewer::Pong { nonce: 7 }, "alive after {frame:?}");
    }
    let all = made_up(11, 30);
    server.engine.comes(RUN, &all);
    while !page.over {
        page.take(&read(&mut socket).await.unwrap());
    }
    assert_eq!(page.world, World::fold(&all));
    let resync = serde_json::to_string(&FromViewer::Resync).unwrap();
    assert!(matches!(say(&mut socket, resync).await, ToViewer::Snapshot { dropped: 0, .. }), "even after the end");
    server.end().await;
    assert_eq!(read(&mut socket).await, None, "an open socket does not hold up the server's end");
}

#[tokio::test]
async fn a_viewer_that_stops_reading_is_resynchronised_when_it_reads_again() {
    let server = Server::with_limits(Limits { viewers: 3, ..Limits::default() }).await;
    server.begin("{}").await;
    let mut stuck = join(&server, "", 4 << 10).await;
    let mut page = Page::default();
    page.take(&read(&mut stuck).await.unwrap());
    let (mut other, mut others) = (join(&server, "", BUFFER).await, Page::default());
    // Notices of a kilobyte fill the kernel's buffers sooner.
    let long = "x".repeat(1000);
    let mut all = made_up(13, MAX_BEHIND + 15_000);
    for event in &mut all[2..10_000] {
        event.what = What::Notice { message: Message::new("note").with("text", long.as_str()) };
    }
    let expected = World::fold(&all);
    let mut rest = all.as_slice();
    while !others.over {
        let (now, later) = rest.split_at(rest.len().min(2_000));
        server.engine.comes(RUN, now);
        rest = later;
        let until = now.last().map_or(u64::MAX, |event| event.seq);
        while others.world.seq < until && !others.over {
            others.take(&read(&mut other).await.unwrap());
        }
    }
    assert_eq!((others.snapshots, others.dropped), (1, 0), "nobody else notices");
    assert_eq!(others.world, expected);
    let mut dropped = 0;
    while !page.over {
        let before = page.world.seq;
        page.take(&read(&mut stuck).await.unwrap());
        if page.snapshots == 2 && dropped == 0 {
            dropped = page.world.seq - before;
        }
    }
    assert_eq!((page.snapshots, page.dropped), (2, dropped));
    assert!(dropped > MAX_BEHIND, "{dropped}");
    assert_eq!(page.world, expected);
    server.end().await;
}

#[tokio::test]
async fn a_full_house_is_told_so() {
    let server = Server::with_limits(Limits { viewers: 1, ..Limits::default() }).await;
    server.begin("{}").await;
    let _seat = join(&server, "", BUFFER).await;
    let key = [
        ("Upgrade", "websocket"),
        ("Connection", "upgrade, close"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let reply = server.ask("GET", "/api/runs/1/stream", &key, b"").await;
    assert_eq!((reply.status, reply.refusal().code), (429, ErrorCode::TooMany));
}
