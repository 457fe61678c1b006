//! The embedded PostgreSQL, on the real server programs of this machine: it starts, it ends, it survives being killed,
//! and nothing of it is ever left behind.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rowlock_backend::cluster::{Cluster, ClusterError, ClusterOptions, ClusterState, Installation, Progress, find};
use sqlx::{Connection, PgConnection};

/// Makes this test program own a cluster instead (see `owner`); names the cache folder.
const OWNER: &str = "ROWLOCK_TEST_CLUSTER_OWNER";

/// Far above what anything here takes: a wait that comes to this has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// A cache folder of one test, removed at its end.
struct Cache {
    dir: PathBuf,
    steps: Arc<Mutex<Vec<Progress>>>,
}

impl Cache {
    fn new() -> Cache {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("rowlock-cluster-{}-{count}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Cache { dir: dir.canonicalize().unwrap(), steps: Arc::default() }
    }

    fn options(&self) -> ClusterOptions {
        let steps = Arc::clone(&self.steps);
        let progress = Arc::new(move |step: &Progress| steps.lock().unwrap().push(step.clone()));
        ClusterOptions { cache_dir: Some(self.dir.clone()), durable: false, progress, ..ClusterOptions::default() }
    }

    async fn start(&self) -> Cluster {
        self.steps.lock().unwrap().clear();
        Cluster::start(self.options()).await.unwrap()
    }

    /// Whether the latest start took the step.
    fn took(&self, step: impl Fn(&Progress) -> bool) -> bool {
        self.steps.lock().unwrap().iter().any(step)
    }

    fn initialised(&self) -> bool {
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
fn processes_of(dir: &Path) -> Vec<u32> {
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
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "waited {LIMIT:?} in vain: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

async fn reach(cluster: &Cluster, what: impl Fn(&ClusterState) -> bool) -> ClusterState {
    let mut state = cluster.state();
    tokio::time::timeout(LIMIT, state.wait_for(what)).await.unwrap().unwrap().clone()
}

async fn ask(cluster: &Cluster, sql: &'static str) -> String {
    let mut connection = PgConnection::connect(&cluster.url()).await.unwrap();
    let answer = sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    answer
}

async fn write(cluster: &Cluster, sql: &'static str) {
    let mut connection = PgConnection::connect(&cluster.url()).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// A child process that owns a cluster in `cache`, and has reached `line`.
fn owner_at(cache: &Cache, line: &str) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "owner", "--nocapture"])
        .env(OWNER, &cache.dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reached = output.lines().map_while(Result::ok).find_map(|said| said.strip_prefix(line).map(str::to_owned));
    (child, reached.expect("the owner ended early"))
}

/// Not a test of its own: the body of the child processes of `owner_at`.
#[tokio::test]
async fn owner() {
    let Some(dir) = std::env::var_os(OWNER) else { return };
    let progress = Arc::new(|step: &Progress| {
        if matches!(step, Progress::Starting { .. }) {
            println!("STARTING");
        }
        if let Progress::Initialising { dir } = step {
            // Says so when initdb is at work: it fills the folder from another thread's child.
            let unfinished = dir.with_file_name("data.new/PG_VERSION");
            std::thread::spawn(move || {
                while !unfinished.exists() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                println!("INITDB");
            });
        }
    });
    let options = ClusterOptions { cache_dir: Some(dir.into()), durable: false, progress, ..ClusterOptions::default() };
    let cluster = Cluster::start(options).await.unwrap();
    println!("READY {}", cluster.postmaster_pid().unwrap());
    // Until the parent kills this process, or has ended itself.
    let _ = std::io::stdin().lines().next();
}

#[tokio::test]
async fn it_starts_answers_and_leaves_nothing_running() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    let version = cluster.version().clone();
    assert!(cache.initialised());
    assert_eq!(*cluster.state().borrow(), ClusterState::Ready { generation: 1 });
    assert_eq!(
        ask(&cluster, "SHOW server_version").await.split(' ').next().unwrap(),
        format!("{}.{}", version.major, version.minor)
    );
    assert_eq!(ask(&cluster, "SHOW listen_addresses").await, "");
    assert_eq!(ask(&cluster, "SHOW fsync").await, "off");
    assert_eq!(ask(&cluster, "SHOW server_encoding").await, "UTF8");
    assert_eq!(ask(&cluster, "SHOW lc_messages").await, "C");
    assert_eq!(ask(&cluster, "SHOW max_connections").await, cluster.max_connections().to_string());
    assert!(processes_of(&cache.dir).contains(&cluster.postmaster_pid().unwrap()));
    assert!(cluster.server_log_tail().contains("ready to accept connections"));

    let socket_dir = cluster.data_dir().with_file_name("sock");
    assert_eq!(fs::read_dir(&socket_dir).unwrap().count(), 2, "the socket and its lock");
    cluster.stop().await;
    assert_eq!(*cluster.state().borrow(), ClusterState::Stopped);
    assert_eq!(cluster.postmaster_pid(), None);
    assert_eq!(processes_of(&cache.dir), []);
    assert!(!socket_dir.exists());
    assert!(!cluster.data_dir().join("postmaster.pid").exists(), "a shutdown in good order");
    cluster.stop().await;
}

#[tokio::test]
async fn a_drop_stops_it_too_and_the_next_start_is_warm() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    write(&cluster, "CREATE TABLE kept AS SELECT 'still here' AS word").await;
    drop(cluster);
    assert_eq!(processes_of(&cache.dir), []);

    let begin = Instant::now();
    let cluster = cache.start().await;
    println!("warm start: {:?}", begin.elapsed());
    assert!(!cache.initialised());
    assert_eq!(ask(&cluster, "SELECT word FROM kept").await, "still here");
    cluster.stop().await;
}

#[tokio::test]
async fn as_shipped_is_the_default_and_durable() {
    let cache = Cache::new();
    let options = ClusterOptions { cache_dir: Some(cache.dir.clone()), ..ClusterOptions::default() };
    let cluster = Cluster::start(options).await.unwrap();
    assert!(cluster.is_durable());
    for setting in ["SHOW fsync", "SHOW synchronous_commit", "SHOW full_page_writes"] {
        assert_eq!(ask(&cluster, setting).await, "on", "{setting}");
    }
    cluster.stop().await;
}

#[tokio::test]
async fn the_server_does_not_run_as_root() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    let said =
        Command::new("ps").args(["-o", "uid=", "-p", &cluster.postmaster_pid().unwrap().to_string()]).output().unwrap();
    assert_ne!(String::from_utf8_lossy(&said.stdout).trim(), "0");
    cluster.stop().await;
}

#[tokio::test]
async fn the_psql_line_joins() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    let line = format!("{} -Atc 'SELECT current_user'", cluster.psql_line());
    let said = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "rowlock\n", "{line}: {}", String::from_utf8_lossy(&said.stderr));
    cluster.stop().await;
}

#[tokio::test]
async fn two_at_once_do_not_share() {
    let cache = Cache::new();
    let (one, two) = (cache.start().await, cache.start().await);
    assert_eq!((one.slot(), two.slot()), (0, 1));
    assert_ne!(one.data_dir(), two.data_dir());
    write(&one, "CREATE TABLE mine ()").await;
    assert_eq!(ask(&two, "SELECT coalesce(to_regclass('mine')::text, 'none')").await, "none");
    one.stop().await;
    assert_eq!(ask(&two, "SHOW cluster_name").await, "rowlock-1");
    assert_eq!(cache.start().await.slot(), 0, "a slot is free again once its cluster has stopped");
    two.stop().await;
    assert_eq!(processes_of(&cache.dir), []);
}

#[tokio::test]
async fn a_killed_postmaster_is_started_again_with_its_data() {
    let cache = Cache::new();
    // Not the fast settings: they lose the last commits when the postmaster is killed.
    let cluster = Cluster::start(ClusterOptions { durable: true, ..cache.options() }).await.unwrap();
    write(&cluster, "CREATE TABLE kept AS SELECT 'still here' AS word").await;
    // A session in the middle of a statement outlives its postmaster for a moment.
    let mut busy = PgConnection::connect(&cluster.url()).await.unwrap();
    let lost = tokio::spawn(async move { sqlx::raw_sql("SELECT pg_sleep(600)").execute(&mut busy).await });

    let mut state = cluster.state();
    state.mark_unchanged();
    for generation in 2..=3 {
        let killed = cluster.postmaster_pid().unwrap();
        kill(killed);
        tokio::time::timeout(LIMIT, state.changed()).await.unwrap().unwrap();
        reach(&cluster, |state| *state == ClusterState::Ready { generation }).await;
        assert!(cache.took(|step| matches!(step, Progress::Down { why } if why.contains("signal: 9"))));
        assert_ne!(cluster.postmaster_pid().unwrap(), killed);
        assert_eq!(ask(&cluster, "SELECT word FROM kept").await, "still here");
    }
    assert!(lost.await.unwrap().is_err(), "connections of the old generation are lost");
    cluster.stop().await;
    assert_eq!(processes_of(&cache.dir), []);
}

#[tokio::test]
async fn a_server_that_cannot_come_back_is_given_up() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    fs::write(cluster.data_dir().join("postgresql.conf"), "no_such_setting = 1\n").unwrap();
    kill(cluster.postmaster_pid().unwrap());
    let end = reach(&cluster, ClusterState::is_final).await;
    let ClusterState::Failed { why } = end else { panic!("{end:?}") };
    assert!(why.contains("5 restarts") && why.contains("no_such_setting"), "{why}");
    cluster.stop().await;
    assert_eq!(processes_of(&cache.dir), []);

    let refused = Cluster::start(cache.options()).await.unwrap_err();
    assert!(matches!(refused, ClusterError::ServerFailed { .. }), "{refused}");
    let line = refused.to_string();
    assert!(line.contains("no_such_setting") && line.contains("server.log"), "{line}");
}

#[tokio::test]
async fn when_the_owner_is_killed_its_server_ends_and_the_next_start_takes_over() {
    let cache = Cache::new();
    let (mut owner, postmaster) = owner_at(&cache, "READY ");
    assert!(processes_of(&cache.dir).contains(&postmaster.parse().unwrap()));
    owner.kill().unwrap();
    owner.wait().unwrap();
    if cfg!(target_os = "linux") {
        until("the server ends with its owner", || processes_of(&cache.dir).is_empty()).await;
    }
    let cluster = cache.start().await;
    assert_eq!(cluster.slot(), 0);
    assert!(!cache.initialised());
    cluster.stop().await;
}

#[tokio::test]
async fn a_server_that_outlives_its_owner_is_ended_by_the_next_start() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    cluster.stop().await;
    // As it would be where the kernel does not end a server with its owner: the same data folder, nobody's child.
    let owner = cluster.data_dir().metadata().unwrap();
    let started = Command::new(cluster.version().program("pg_ctl"))
        .args(["start", "-w", "-s", "-o", "-c listen_addresses= -k .", "-l"])
        .args([Path::new("/dev/null"), Path::new("-D"), cluster.data_dir()])
        .uid(owner.uid())
        .gid(owner.gid())
        .current_dir("/")
        .status()
        .unwrap();
    assert!(started.success());
    let pid_file = fs::read_to_string(cluster.data_dir().join("postmaster.pid")).unwrap();
    let old = pid_file.lines().next().unwrap().parse().unwrap();
    assert!(processes_of(&cache.dir).contains(&old));

    let cluster = cache.start().await;
    assert!(cache.took(|step| matches!(step, Progress::EndingOld { pids } if pids.contains(&old))));
    assert!(!processes_of(&cache.dir).contains(&old));
    assert_eq!(cluster.slot(), 0);
    cluster.stop().await;
    assert_eq!(processes_of(&cache.dir), []);
}

#[tokio::test]
async fn owner_and_server_killed_together_are_recovered_from() {
    let cache = Cache::new();
    let (mut owner, postmaster) = owner_at(&cache, "READY ");
    kill(postmaster.parse().unwrap());
    owner.kill().unwrap();
    owner.wait().unwrap();
    let cluster = cache.start().await;
    assert!(!cache.initialised());
    assert_eq!(ask(&cluster, "SELECT 'up'").await, "up");
    cluster.stop().await;
    assert_eq!(processes_of(&cache.dir), []);
}

#[tokio::test]
async fn a_data_folder_whose_initdb_was_killed_is_made_again() {
    let cache = Cache::new();
    let (mut owner, _) = owner_at(&cache, "INITDB");
    owner.kill().unwrap();
    owner.wait().unwrap();
    let cluster = cache.start().await;
    assert!(cache.initialised());
    assert_eq!(ask(&cluster, "SELECT 'up'").await, "up");
    assert!(!cluster.data_dir().with_file_name("data.new").exists());
    cluster.stop().await;
}

#[tokio::test]
async fn a_data_folder_without_its_control_file_is_made_again() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    cluster.stop().await;
    fs::remove_file(cluster.data_dir().join("global/pg_control")).unwrap();
    let cluster = cache.start().await;
    assert!(cache.initialised());
    cluster.stop().await;
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing() {
    let cache = Cache::new();
    let (saw, mut seen) = tokio::sync::mpsc::unbounded_channel();
    for given_up_at in ["making", "starting"] {
        let saw = saw.clone();
        let options =
            ClusterOptions { progress: Arc::new(move |step| drop(saw.send(step.to_string()))), ..cache.options() };
        let mut start = Box::pin(Cluster::start(options));
        loop {
            tokio::select! {
                biased;
                step = seen.recv() => if step.unwrap().starts_with(given_up_at) { break },
                _ = &mut start => panic!("not given up"),
            }
        }
        drop(start);
        assert_eq!(processes_of(&cache.dir), [], "given up at {given_up_at}");
    }
    cache.start().await.stop().await;
}

#[tokio::test]
async fn a_version_that_is_not_supported_is_refused() {
    let cache = Cache::new();
    let local = find::installations().first().unwrap().clone();
    let options = ClusterOptions { installation: Some(Installation { major: 13, ..local }), ..cache.options() };
    let refused = Cluster::start(options).await.unwrap_err();
    assert!(matches!(refused, ClusterError::Unsupported { .. }));
    assert!(refused.to_string().contains("13."), "{refused}");
    assert_eq!(fs::read_dir(&cache.dir).unwrap().count(), 0, "nothing was made");
}

#[tokio::test]
async fn every_version_found_here_starts() {
    for installation in find::installations().into_iter().filter(Installation::is_supported) {
        let cache = Cache::new();
        let options = ClusterOptions { installation: Some(installation.clone()), ..cache.options() };
        let cluster = Cluster::start(options).await.unwrap();
        assert!(ask(&cluster, "SHOW server_version").await.starts_with(&installation.major.to_string()));
        cluster.stop().await;
    }
}
