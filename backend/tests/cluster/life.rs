//! Started, used, stopped: what every day looks like.

use std::fs;
use std::process::Command;
use std::time::Instant;

use rowlock_backend::cluster::{Cluster, ClusterError, ClusterOptions, ClusterState, Installation, find};

use crate::support::{Cache, ask, processes_of, write};

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
    cache.assert_deserted();
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
    cache.assert_deserted();

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
    cache.assert_deserted();
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
