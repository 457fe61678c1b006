//! Runs on a real PostgreSQL, through the registry: kept, read back, cleared away, and what becomes of them when a server
//! or the database is killed.

#![allow(clippy::unwrap_used)]

use rowlock_backend::cluster::{Cluster, ClusterOptions};
use rowlock_backend::runs::{Keep, Limits, LiveDatabase, Runs};
use rowlock_shared::event::EndReason;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::wire::{RunId, RunInfo};
use rowlock_shared::world::World;
use sqlx::{Connection, PgConnection};
use std::path::PathBuf;
use std::time::Duration;

/// Longest wait for something that must happen. A test that meets it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A cluster of one test.
struct Stage {
    cluster: Cluster,
    folder: PathBuf,
}

impl Stage {
    async fn new(name: &str) -> Stage {
        let folder = std::env::temp_dir().join(format!("rowlock-{name}-{}", std::process::id()));
        let options = ClusterOptions { cache_dir: Some(folder.clone()), durable: false, ..ClusterOptions::default() };
        Stage { cluster: Cluster::start(options).await.unwrap(), folder }
    }

    async fn server(&self, limits: Limits) -> (Runs, LiveDatabase) {
        let database = LiveDatabase::open(self.cluster.url(), Some(self.cluster.state())).await.unwrap();
        (Runs::new(database.database(), limits), database)
    }

    async fn session(&self) -> PgConnection {
        PgConnection::connect(&self.cluster.url()).await.unwrap()
    }

    /// Schemas of runs in the database.
    async fn schemas(&self) -> Vec<String> {
        let text = "SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'rowlock_run_%' ORDER BY 1";
        sqlx::query_scalar(text).fetch_all(&mut self.session().await).await.unwrap()
    }

    async fn end(self) {
        self.cluster.stop().await;
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

/// Waits until it is so.
async fn until(what: &str, mut check: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !check().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("in vain: {what}"));
}

fn quick() -> Scenario {
    Scenario { jobs: 30, workers: 3, work_ms: 1, ..Scenario::default() }
}

/// More work than any test waits for.
fn endless() -> Scenario {
    Scenario { jobs: 10_000, workers: 3, work_ms: 50, ..Scenario::default() }
}

async fn play(runs: &Runs, scenario: Scenario) -> RunId {
    let id = runs.start(scenario).await.unwrap().id;
    tokio::time::timeout(PATIENCE, runs.hub(id).await.unwrap().over()).await.unwrap();
    id
}

async fn kept(runs: &Runs) -> Vec<RunInfo> {
    runs.list().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_run_survives_a_restart_and_leaves_no_schema() {
    let stage = Stage::new("restart").await;
    let (runs, database) = stage.server(Limits::default()).await;
    let first = play(&runs, quick()).await;
    let second = play(&runs, quick()).await;
    let newest_only = [format!("rowlock_run_{second}")];
    until("the newest schema alone stays", async || stage.schemas().await == newest_only).await;
    let (world, before) = (runs.hub(first).await.unwrap().world(), kept(&runs).await);
    assert_eq!(before.iter().map(|info| info.id).collect::<Vec<_>>(), [second, first]);
    runs.close().await;
    drop(database);
    assert_eq!(stage.schemas().await, [""; 0]);

    let (runs, _database) = stage.server(Limits::default()).await;
    let after = kept(&runs).await;
    assert_eq!(after.iter().map(|info| (info.id, &info.summary)).collect::<Vec<_>>(), {
        before.iter().map(|info| (info.id, &info.summary)).collect::<Vec<_>>()
    });
    assert_eq!(runs.hub(first).await.unwrap().world(), world, "the events are the same");
    assert!(play(&runs, quick()).await > second, "a number is never used again");
    runs.delete(first).await.unwrap();
    assert!(runs.info(first).await.is_err());
    runs.close().await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_server_left_is_cleared_and_nothing_of_a_living_one() {
    let stage = Stage::new("killed").await;
    let (living, _living_database) = stage.server(Limits::default()).await;
    let (killed, killed_database) = stage.server(Limits::default()).await;
    let of_living = living.start(endless()).await.unwrap().id;
    let of_killed = killed.start(endless()).await.unwrap().id;
    let strangers = "CREATE SCHEMA rowlock_run_99999";
    sqlx::query(strangers).execute(&mut stage.session().await).await.unwrap();
    let begun = async |runs: &Runs, id| runs.hub(id).await.unwrap().tip().borrow().seq > 20;
    until("both begin", async || begun(&living, of_living).await && begun(&killed, of_killed).await).await;

    // Its sessions end as those of a killed process would: nobody says a word.
    drop(killed_database);

    let living_schema = format!("rowlock_run_{of_living}");
    let mut expected = vec![living_schema, "rowlock_run_99999".to_owned()];
    expected.sort();
    until("the next start clears up", async || {
        let (runs, _next) = stage.server(Limits::default()).await;
        runs.close().await;
        stage.schemas().await == expected
    })
    .await;
    assert!(!living.hub(of_living).await.unwrap().is_over(), "the living one's run goes on");
    living.close().await;
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_database_ends_the_run_which_is_kept_and_the_next_one_works() {
    let stage = Stage::new("lost").await;
    let (runs, database) = stage.server(Limits { patience: PATIENCE, ..Limits::default() }).await;
    let lost = runs.start(endless()).await.unwrap().id;
    let hub = runs.hub(lost).await.unwrap();
    until("it works", async || hub.world().counters.claims > 5).await;
    let postmaster = stage.cluster.postmaster_pid().unwrap();
    assert!(std::process::Command::new("kill").args(["-9", &postmaster.to_string()]).status().unwrap().success());
    tokio::time::timeout(PATIENCE, hub.over()).await.unwrap();
    let info = runs.info(lost).await.unwrap();
    assert_eq!(info.ended, Some(EndReason::DatabaseLost));
    let next = play(&runs, quick()).await;
    assert_eq!(runs.summary(next).await.unwrap().done, 30);
    until("both are kept", async || kept(&runs).await.len() == 2).await;
    runs.close().await;
    drop(database);

    let (runs, _database) = stage.server(Limits::default()).await;
    let world = runs.hub(lost).await.unwrap().world();
    assert_eq!(*world, *hub.world(), "no event is missing");
    assert_ne!(*world, World::new());
    stage.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn old_runs_are_pruned_by_size_and_never_the_newest() {
    let stage = Stage::new("prune").await;
    let keep = Keep { days: 30, bytes: 1 };
    let (runs, _database) = stage.server(Limits { keep, in_memory: 0, ..Limits::default() }).await;
    for _ in 0..3 {
        play(&runs, quick()).await;
    }
    let last = play(&runs, quick()).await;
    until("only the newest is kept", async || {
        let text = "SELECT id FROM rowlock.runs WHERE ended IS NOT NULL";
        let ids: Vec<i32> = sqlx::query_scalar(text).fetch_all(&mut stage.session().await).await.unwrap();
        ids == [i32::try_from(last.0).unwrap()]
    })
    .await;
    runs.close().await;
    stage.end().await;
}
