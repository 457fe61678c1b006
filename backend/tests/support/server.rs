//! The server of a test, on a free port, and a client that writes each header itself.

use super::StandIn;
use rowlock_backend::http::{self, Hosts, Site};
use rowlock_backend::runs::{Database, Limits, Runs};
use rowlock_shared::wire::{ApiError, RunId, RunInfo};
use serde::de::DeserializeOwned;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// It.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) runs: Runs,
    pub(crate) engine: StandIn,
    pub(crate) database: Database,
    closing: watch::Sender<bool>,
    serving: JoinHandle<std::io::Result<()>>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The refusal in it.
    pub(crate) fn refusal(&self) -> ApiError {
        self.json()
    }

    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = |line: &'_ str| line.split_once(": ").is_some_and(|(key, _)| key.eq_ignore_ascii_case(name));
        self.head.lines().find(|one| line(one)).and_then(|one| one.split_once(": ")).map(|(_, value)| value)
    }
}

impl Server {
    pub(crate) async fn start() -> Server {
        Server::with_limits(Limits::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Server {
        let engine = StandIn::default();
        let database = Database::up(Arc::new(engine.clone()));
        let runs = Runs::new(database.clone(), limits);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (closing, closed) = watch::channel(false);
        let site = Site {
            runs: runs.clone(),
            hosts: Arc::new(Hosts::new(address.ip(), Vec::new())),
            embedded: true,
            fast_not_durable: false,
            closing: closed,
        };
        let serving = tokio::spawn(http::serve(listener, site));
        Server { address, runs, engine, database, closing, serving }
    }

    /// Sends a request with these headers (Host and Connection come by themselves unless they are among them) and reads the whole answer.
    pub(crate) async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in [("Host", self.address.to_string()), ("Connection", "close".into())] {
            if !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)) {
                text += &format!("{name}: {value}\r\n");
            }
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all((text + "\r\n").as_bytes()).await.unwrap();
        // A server that refuses a large body may close before it has read all of it.
        let _ = stream.write_all(body).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"").await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Reply {
        self.ask("POST", path, &[], body.as_bytes()).await
    }

    /// Starts a run of this scenario and returns its number.
    pub(crate) async fn begin(&self, scenario: &str) -> RunId {
        let reply = self.post("/api/runs", scenario).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json::<RunInfo>().id
    }

    /// Ends the server as a signal would, and waits.
    pub(crate) async fn end(self) {
        self.closing.send_replace(true);
        self.serving.await.unwrap().unwrap();
    }
}
