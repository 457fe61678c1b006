//! Killed: the server, its owner, both, or initdb; and a start that is given up.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rowlock_backend::cluster::{Cluster, ClusterError, ClusterOptions, ClusterState, Progress};
use sqlx::{Connection, PgConnection};

use crate::support::{Cache, LIMIT, ask, kill, processes_of, reach, until, write};

/// Makes this test program own a cluster instead (see `owner`); names the cache folder.
const OWNER: &str = "ROWLOCK_TEST_CLUSTER_OWNER";

/// With it, the owner is killed (SIGKILL) as soon as initdb has begun to fill its folder.
const DIES_IN_INITDB: &str = "ROWLOCK_TEST_DIES_IN_INITDB";

/// A child process that owns a ready cluster in `cache`, and the process number of its postmaster.
fn owner_of(cache: &Cache) -> (Child, u32) {
    let mut child = owner_command(cache).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let ready = output.lines().map_while(Result::ok).find_map(|said| said.strip_prefix("READY ")?.parse().ok());
    (child, ready.expect("the owner ended early"))
}

/// This test program, told to own a cluster in `cache`.
fn owner_command(cache: &Cache) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crash::owner", "--nocapture"]).env(OWNER, &cache.dir);
    command
}

/// Not a test of its own: the body of the child processes of `owner_at`.
#[tokio::test]
async fn owner() {
    let Some(dir) = std::env::var_os(OWNER) else { return };
    let dies = std::env::var_os(DIES_IN_INITDB).is_some();
    let progress = Arc::new(move |step: &Progress| {
        if let Progress::Initialising { dir } = step
            && dies
        {
            let begun = dir.with_file_name("data.new/PG_VERSION");
            std::thread::spawn(move || {
                while !begun.exists() {
                    std::thread::yield_now();
                }
                kill(std::process::id());
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
    cache.assert_deserted();
}

#[tokio::test]
async fn a_server_that_cannot_come_back_is_given_up() {
    let cache = Cache::new();
    let cluster = cache.start().await;
    let settings = cluster.data_dir().join("postgresql.conf");
    let as_made = fs::read(&settings).unwrap();
    fs::write(&settings, "no_such_setting = 1\n").unwrap();
    kill(cluster.postmaster_pid().unwrap());
    let end = reach(&cluster, ClusterState::is_final).await;
    let ClusterState::Failed { why } = end else { panic!("{end:?}") };
    assert!(why.contains("5 restarts") && why.contains("no_such_setting"), "{why}");
    cluster.stop().await;
    cache.assert_deserted();

    let refused = Cluster::start(cache.options()).await.unwrap_err();
    assert!(matches!(refused, ClusterError::ServerFailed { .. }), "{refused}");
    let line = refused.to_string();
    assert!(line.contains("no_such_setting") && line.contains("server.log"), "{line}");

    // Put right, it starts: and takes away the shared memory that the killed one could not.
    fs::write(&settings, as_made).unwrap();
    cache.start().await.stop().await;
    cache.assert_deserted();
}

#[tokio::test]
async fn when_the_owner_is_killed_its_server_ends_and_the_next_start_takes_over() {
    let cache = Cache::new();
    let (mut owner, postmaster) = owner_of(&cache);
    assert!(processes_of(&cache.dir).contains(&postmaster));
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
    cache.assert_deserted();
}

#[tokio::test]
async fn owner_and_server_killed_together_are_recovered_from() {
    let cache = Cache::new();
    let (mut owner, postmaster) = owner_of(&cache);
    kill(postmaster);
    owner.kill().unwrap();
    owner.wait().unwrap();
    let cluster = cache.start().await;
    assert!(!cache.initialised());
    assert_eq!(ask(&cluster, "SELECT 'up'").await, "up");
    cluster.stop().await;
    cache.assert_deserted();
}

#[tokio::test]
async fn a_data_folder_whose_initdb_was_killed_is_made_again() {
    let cache = Cache::new();
    let end = owner_command(&cache).env(DIES_IN_INITDB, "").stdout(Stdio::null()).status().unwrap();
    assert_eq!(end.signal(), Some(9));
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
        cache.assert_deserted();
    }
    cache.start().await.stop().await;
}
