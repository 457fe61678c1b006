//! How many events a second reach ten viewers over real sockets, none of them left out: written down, folded, framed,
//! sent, received. Run it with `cargo bench -p rowlock-backend --bench stream`.
//!
//! The source stays at most half of the resynchronisation limit ahead of the slowest viewer, so that what is measured is
//! the stream and not its emergency exit. Server and viewers share one process.

#[path = "../tests/support/mod.rs"]
mod support;

use futures_util::StreamExt;
use rowlock_backend::runs::MAX_BEHIND;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::{Server, made_up};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;

const VIEWERS: usize = 10;
const EVENTS: u64 = 200_000;
const BATCH: usize = 500;
const ROUNDS: u64 = 3;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut rates: Vec<f64> = (0..ROUNDS).map(|round| runtime.block_on(measure(round))).collect();
    rates.sort_by(f64::total_cmp);
    println!("median: {:.0} events/s to each of {VIEWERS} viewers", rates[rates.len() / 2]);
}

async fn measure(round: u64) -> f64 {
    let server = Server::start().await;
    let run = server.begin("{}").await;
    let all = made_up(round, EVENTS);
    let seen: Arc<Vec<AtomicU64>> = Arc::new((0..VIEWERS).map(|_| AtomicU64::new(0)).collect());
    let mut viewers = Vec::new();
    for number in 0..VIEWERS {
        let tcp = TcpStream::connect(server.address).await.expect("connects");
        let url = format!("ws://{}/api/runs/{run}/stream", server.address);
        let (mut socket, _) = client_async(url, tcp).await.expect("upgrades");
        let seen = seen.clone();
        viewers.push(tokio::spawn(async move {
            let mut bytes = 0;
            while let Some(Ok(frame)) = socket.next().await {
                let Ok(text) = frame.to_text() else { continue };
                bytes += text.len();
                // The last number in the message is that of its last event: a viewer's own work is not measured here.
                if let Some(at) = text.rfind(r#"{"seq":"#) {
                    let digits = text[at + 7..].bytes().take_while(u8::is_ascii_digit).count();
                    let seq: u64 = text[at + 7..at + 7 + digits].parse().expect("a number");
                    seen[number].store(seq, Ordering::Relaxed);
                    if seq == EVENTS {
                        break;
                    }
                }
            }
            bytes
        }));
    }
    let began = Instant::now();
    for batch in all.chunks(BATCH) {
        let ahead = |seen: &[AtomicU64]| {
            let slowest = seen.iter().map(|seq| seq.load(Ordering::Relaxed)).min().unwrap_or(0);
            batch[0].seq.saturating_sub(slowest)
        };
        while ahead(&seen) > MAX_BEHIND / 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        server.engine.comes(run, batch);
    }
    let mut bytes = 0;
    for viewer in viewers {
        bytes += viewer.await.expect("a viewer");
    }
    let rate = EVENTS as f64 / began.elapsed().as_secs_f64();
    println!("{rate:.0} events/s to each of {VIEWERS} viewers, {} MB sent", bytes / 1_000_000);
    server.engine.dies(run);
    server.end().await;
    rate
}
