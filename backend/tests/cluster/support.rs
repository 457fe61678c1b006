//! A cache folder of one's own, a look at the machine's processes, a question to a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rowlock_backend::cluster::{Cluster, ClusterOptions, ClusterState, Progress};
use sqlx::{Connection, PgConnection};

/// Far above what anything here takes: a wait that comes to this has failed.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A cache folder of one test, removed at its end.
pub(crate) struct Cache {
    pub(crate) dir: PathBuf,
    pub(crate) steps: Arc<Mutex<Vec<Progress>>>,
}

impl Cache {
    pub(crate) fn new() -> Cache {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("rowlock-cluster-{}-{count}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Cache { dir: dir.canonicalize().unwrap(), steps: Arc::default() }
    }

    pub(crate) fn options(&self) -> ClusterOptions {
        let steps = Arc::clone(&self.steps);
        let progress = Arc::new(move |step: &Progress| steps.lock().unwrap().push(step.clone()));
        ClusterOptions { cache_dir: Some(self.dir.clone()), durable: false, progress, ..ClusterOptions::default() }
    }

    pub(crate) async fn start(&self) -> Cluster {
        self.steps.lock().unwrap().clear();
        Cluster::start(self.options()).await.unwrap()
    }

    /// Whether the latest start took the step.
    pub(crate) fn took(&self, step: impl Fn(&Progress) -> bool) -> bool {
        self.steps.lock().unwrap().iter().any(step)
    }

    /// Fails if any process of a cluster in this folder is left.
    #[track_caller]
    pub(crate) fn assert_deserted(&self) {
        let left = processes_of(&self.dir);
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    pub(crate) fn initialised(&self) -> bool {
        self.took(|step| matches!(step, Progress::Initialising { .. }))
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Every process that has `dir`, or something below it, as its working folder or on its command line: found in another
/// way than the product finds them. The test program itself and its children that own clusters do not count.
pub(crate) fn processes_of(dir: &Path) -> Vec<u32> {
    let said = Command::new("ps").args(["-axww", "-o", "pid=,stat=,command="]).output().unwrap().stdout;
    let named = dir.to_string_lossy().into_owned();
    let mut all = Vec::new();
    for line in String::from_utf8_lossy(&said).lines() {
        let mut words = line.split_whitespace();
        let (Some(pid), Some(state)) = (words.next().and_then(|pid| pid.parse::<u32>().ok()), words.next()) else {
            continue;
        };
        let works_there = fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(dir));
        if !state.starts_with('Z') && (works_there || line.contains(&named)) {
            all.push(pid);
        }
    }
    all
}

/// Polls until `holds` does; there is no event to wait for when a stranger's process ends.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "waited {LIMIT:?} in vain: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub(crate) fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

pub(crate) async fn reach(cluster: &Cluster, what: impl Fn(&ClusterState) -> bool) -> ClusterState {
    let mut state = cluster.state();
    tokio::time::timeout(LIMIT, state.wait_for(what)).await.unwrap().unwrap().clone()
}

pub(crate) async fn ask(cluster: &Cluster, sql: &'static str) -> String {
    let mut connection = PgConnection::connect(&cluster.url()).await.unwrap();
    let answer = sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    answer
}

pub(crate) async fn write(cluster: &Cluster, sql: &'static str) {
    let mut connection = PgConnection::connect(&cluster.url()).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}
