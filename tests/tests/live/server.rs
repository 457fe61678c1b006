//! One private PostgreSQL for all tests of this program, and runs on it.

use rowlock_backend::cluster::{Cluster, ClusterOptions};
use rowlock_backend::live::{self, LiveRun, Postgres};
use rowlock_shared::event::{Event, What};
use rowlock_shared::scenario::Scenario;
use rowlock_shared::wire::RunId;
use rowlock_shared::world::World;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, Row};
use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Longest wait for something that must happen. A test that meets it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    pub(crate) postgres: Postgres,
    pub(crate) url: String,
    // Ends the server when the tests' process does.
    _cluster: Cluster,
    _runtime: tokio::runtime::Runtime,
}

/// The tests' server, started by whoever asks first.
pub(crate) async fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    // Started on a thread and a runtime that outlive every single test.
    let start = || {
        SERVER.get_or_init(|| {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
            let runtime = runtime.expect("a runtime");
            let folder = std::env::temp_dir().join(format!("rowlock-live-{}", std::process::id()));
            let (cluster, postgres) = runtime.block_on(async {
                let options = ClusterOptions { cache_dir: Some(folder), durable: false, ..ClusterOptions::default() };
                let cluster = Cluster::start(options).await.expect("PostgreSQL starts");
                let postgres = Postgres::connect(&cluster.url()).await.expect("PostgreSQL answers");
                (cluster, postgres)
            });
            eprintln!("live tests on {}", postgres.version());
            let url = cluster.url();
            Server { postgres, url, _cluster: cluster, _runtime: runtime }
        })
    };
    tokio::task::spawn_blocking(start).await.expect("the server's starter")
}

/// A number for a run that no other test has.
pub(crate) fn next_run() -> RunId {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    RunId(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A run in progress, as a test drives it.
pub(crate) struct Going {
    pub(crate) id: RunId,
    pub(crate) run: LiveRun,
    pub(crate) world: World,
    pub(crate) events: Vec<Event>,
    inbox: UnboundedReceiver<Event>,
    url: String,
}

/// Starts a run.
pub(crate) async fn start(scenario: Scenario) -> Going {
    let server = server().await;
    start_on(&server.postgres, &server.url, scenario)
}

/// Starts a run in a database of its own: what others do holds back no vacuum there.
pub(crate) async fn start_alone(scenario: Scenario) -> Going {
    let server = server().await;
    let name = format!("alone_{}", next_run());
    let mut session = person(&server.url).await;
    session.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.expect("creates a database");
    let url = server.url.replacen("/postgres", &format!("/{name}"), 1);
    let postgres = Postgres::connect(&url).await.expect("connects to the new database");
    start_on(&postgres, &url, scenario)
}

pub(crate) fn start_on(postgres: &Postgres, url: &str, scenario: Scenario) -> Going {
    scenario.check().expect("a valid scenario");
    let (sender, inbox) = unbounded_channel();
    let id = next_run();
    let run = live::start(postgres.clone(), id, scenario, sender);
    Going { id, run, world: World::new(), events: Vec::new(), inbox, url: url.to_owned() }
}

/// Runs a scenario to its end.
pub(crate) async fn finish(scenario: Scenario) -> Going {
    let mut going = start(scenario).await;
    going.end().await;
    going
}

impl Going {
    /// Folds events until the world looks as asked for.
    pub(crate) async fn until(&mut self, what: &str, wanted: impl Fn(&World, &Event) -> bool) {
        let wait = async {
            loop {
                let event = self.inbox.recv().await.unwrap_or_else(|| panic!("the run ended before: {what}"));
                self.world.apply(&event);
                let done = wanted(&self.world, &event);
                self.events.push(event);
                if done {
                    return;
                }
            }
        };
        if tokio::time::timeout(PATIENCE, wait).await.is_err() {
            panic!(
                "waited in vain for: {what}; last events: {:#?}",
                self.events.iter().rev().take(12).collect::<Vec<_>>()
            );
        }
    }

    /// Folds events until the run is over.
    pub(crate) async fn end(&mut self) {
        let limit = self.world.scenario.as_ref().map_or(600_000, |s| s.time_limit_ms) + 30_000;
        let wait = async {
            while let Some(event) = self.inbox.recv().await {
                self.world.apply(&event);
                self.events.push(event);
            }
        };
        let waited = tokio::time::timeout(Duration::from_millis(limit.into()), wait).await;
        waited.expect("the run ends by its time limit");
        let last = self.events.last().map(|event| &event.what);
        assert!(matches!(last, Some(What::RunEnded { .. })), "the last event says that the run ended: {last:?}");
    }

    /// A person's session that sees the run's tables.
    pub(crate) async fn stranger(&self) -> PgConnection {
        let mut session = person(&self.url).await;
        let path = format!("SET search_path = rowlock_run_{}, rowlock", self.id);
        session.execute(AssertSqlSafe(path)).await.expect("sets its path");
        session
    }

    /// One number from the run's tables.
    pub(crate) async fn count(&self, sql: &'static str) -> u32 {
        let mut session = self.stranger().await;
        let n: i64 = session.fetch_one(sql).await.expect(sql).get(0);
        session.close().await.expect("closes");
        u32::try_from(n).expect("a count")
    }
}

/// A person's session.
pub(crate) async fn person(url: &str) -> PgConnection {
    let options = sqlx::postgres::PgConnectOptions::from_str(url).expect("a URL");
    options.connect().await.expect("connects")
}
