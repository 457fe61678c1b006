//! A server of one's own (`DATABASE_URL`) with few rights; and a server that goes away in the middle.

use crate::modes::counters_equal_the_tables;
use crate::server::{Going, person, server, start_on};
use rowlock_backend::cluster::{Cluster, ClusterOptions, ClusterState};
use rowlock_backend::live::{LiveError, Postgres};
use rowlock_shared::event::{EndReason, What};
use rowlock_shared::scenario::{Problem, Scenario};
use sqlx::{Executor, Row};
use std::process::Command;

fn keys(messages: &[rowlock_shared::text::Message]) -> Vec<&str> {
    messages.iter().map(|message| message.key.as_ref()).collect()
}

/// The tests' server as a role sees it that owns nothing.
async fn url_of_a_plain_role(database: &str, grant: Option<&'static str>) -> String {
    let mut admin = person(&server().await.url).await;
    for statement in [format!("CREATE ROLE {database}_role LOGIN"), format!("CREATE DATABASE {database}")] {
        admin.execute(sqlx::AssertSqlSafe(statement)).await.expect("an administrator may");
    }
    if let Some(grant) = grant {
        admin.execute(sqlx::AssertSqlSafe(grant)).await.expect("an administrator may");
    }
    let url = server().await.url.replacen("/postgres", &format!("/{database}"), 1);
    url.replacen("//rowlock@", &format!("//{database}_role@"), 1)
}

#[tokio::test]
async fn a_role_that_may_only_create_gets_a_whole_run_and_is_told_what_is_missing() {
    let url = url_of_a_plain_role("plain", Some("GRANT CREATE ON DATABASE plain TO plain_role")).await;
    let postgres = Postgres::connect(&url).await.expect("CREATE is enough");
    assert_eq!(keys(&postgres.notices()), ["notice-no-pgrowlocks", "notice-no-all-stats"]);
    let mut going = start_on(&postgres, &url, Scenario { work_ms: 5, ..Scenario::default() });
    going.end().await;
    assert_eq!(going.world.summary().ended, Some(EndReason::Quiescent));
    counters_equal_the_tables(&going).await;
    let told = keys(&going.world.notices);
    assert!(told.contains(&"notice-no-pgrowlocks") && told.contains(&"notice-no-all-stats"), "{told:?}");
    // It touched its own schemas only.
    let mut session = person(&url).await;
    let foreign: i64 = session
        .fetch_one(
            "SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
             WHERE relowner = 'plain_role'::regrole AND nspname NOT LIKE 'rowlock%' AND nspname NOT LIKE 'pg_%'",
        )
        .await
        .expect("pg_class")
        .get(0);
    assert_eq!(foreign, 0);
    postgres.drop_run(going.id).await.expect("drops its own");
    let left: i64 = session
        .fetch_one("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'rowlock_run_%'")
        .await
        .expect("pg_namespace")
        .get(0);
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_role_that_may_not_create_is_told_which_grant_is_missing() {
    let url = url_of_a_plain_role("closed", None).await;
    match Postgres::connect(&url).await {
        Err(LiveError::NoCreate { database }) => assert_eq!(database, "closed"),
        Err(other) => panic!("another refusal: {other}"),
        Ok(_) => panic!("was accepted"),
    }
}

#[tokio::test]
async fn a_bad_address_is_refused_without_repeating_its_password() {
    for url in ["mysql://root:secret@localhost/x", "postgres://u:secret@127.0.0.1:1/x"] {
        let error = Postgres::connect(url).await.err().expect("refused").to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_run_that_does_not_fit_is_refused_naming_workers() {
    let folder = std::env::temp_dir().join(format!("rowlock-small-{}", std::process::id()));
    let cluster = Cluster::start(ClusterOptions { cache_dir: Some(folder), durable: false, ..Default::default() })
        .await
        .expect("starts");
    let mut crowd = Vec::new();
    for _ in 0..cluster.max_connections() - 40 {
        crowd.push(person(&cluster.url()).await);
    }
    let postgres = Postgres::connect(&cluster.url()).await.expect("a place is left");
    let error = postgres.check_fits(&Scenario { workers: 64, ..Scenario::default() }).await.expect_err("does not fit");
    assert_eq!(error.field, "workers");
    assert!(matches!(error.problem, Problem::TooManyConnections { needed, free } if needed > free && free > 0));
    postgres.check_fits(&Scenario { workers: 2, ..Scenario::default() }).await.expect("fits");
    drop(crowd);
    cluster.stop().await;
}

#[tokio::test]
async fn a_killed_postgresql_ends_the_run_as_database_lost_and_the_next_run_works() {
    let folder = std::env::temp_dir().join(format!("rowlock-lost-{}", std::process::id()));
    let cluster =
        Cluster::start(ClusterOptions { cache_dir: Some(folder.clone()), ..Default::default() }).await.expect("starts");
    let postgres = Postgres::connect(&cluster.url()).await.expect("connects");
    let scenario = Scenario { work_ms: 50, jobs: 400, ..Scenario::default() };
    let mut going: Going = start_on(&postgres, &cluster.url(), scenario.clone());
    going.until("ten jobs done", |world, _| world.summary().done >= 10).await;
    let pid = cluster.postmaster_pid().expect("it runs");
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill");
    assert!(killed.success());
    going.end().await;
    assert_eq!(going.world.summary().ended, Some(EndReason::DatabaseLost));
    assert!(going.events.iter().any(|event| matches!(event.what, What::Acked { .. })), "what happened is kept");
    let mut state = cluster.state();
    state
        .wait_for(|state| matches!(state, ClusterState::Ready { generation } if *generation > 1))
        .await
        .expect("is back");
    let mut next = start_on(&postgres, &cluster.url(), Scenario { jobs: 10, ..scenario });
    next.end().await;
    assert_eq!((next.world.summary().done, next.world.summary().ended), (10, Some(EndReason::Quiescent)));
    cluster.stop().await;
    std::fs::remove_dir_all(folder).expect("its folder can be removed");
}
