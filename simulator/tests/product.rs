//! The product's own statements on the simulated database: a claim, a skip, a wait, and what is refused.

use rowlock_shared::scenario::{Mode, Scenario};
use rowlock_shared::sql::{StatementId, text};
use rowlock_simulator::database::{Database, Progress, Reply};
use rowlock_simulator::locks::SessionId;
use rowlock_simulator::value::Datum;

const JOBS: &str = include_str!("../../migrations/run/0001_jobs.sql");
const EFFECTS: &str = include_str!("../../migrations/run/0002_effects.sql");

fn done(progress: Progress) -> Reply {
    match progress {
        Progress::Done(reply) if reply.error.is_none() => reply,
        other => panic!("{other:?}"),
    }
}

/// A run's tables with five queued jobs.
fn shop() -> (Database, SessionId) {
    let mut database = Database::new();
    let admin = database.connect("admin", 0);
    done(database.send(admin, JOBS, Vec::new(), 0));
    done(database.send(admin, EFFECTS, Vec::new(), 0));
    done(database.send(admin, "INSERT INTO jobs (id) SELECT n FROM generate_series(1, 5) AS n", Vec::new(), 0));
    (database, admin)
}

fn claim(database: &mut Database, session: SessionId, mode: Mode, now: i64) -> Progress {
    let scenario = Scenario { mode, evidence: false, ..Scenario::default() };
    database.send(session, "BEGIN", Vec::new(), now);
    database.send(session, &text(StatementId::Claim, &scenario), vec![Datum::Text("A".into())], now)
}

fn first(reply: &Reply) -> i64 {
    match reply.outputs[0].rows.first().map(|row| row[0].clone()) {
        Some(Datum::Int(id)) => id,
        other => panic!("no job: {other:?}"),
    }
}

#[test]
fn skip_locked_gives_each_worker_a_row_of_its_own() {
    let (mut database, _) = shop();
    let mut ids: Vec<i64> = Vec::new();
    for name in ["a", "b", "c"] {
        let session = database.connect(name, 1);
        ids.push(first(&done(claim(&mut database, session, Mode::SkipLocked, 1))));
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[test]
fn for_update_waits_then_rechecks_and_takes_the_next_row() {
    let (mut database, _) = shop();
    let (a, b) = (database.connect("a", 1), database.connect("b", 1));
    let taken = first(&done(claim(&mut database, a, Mode::ForUpdate, 1)));
    assert!(matches!(claim(&mut database, b, Mode::ForUpdate, 2), Progress::Blocked));
    assert_eq!(database.wait_of(b).map(|wait| wait.blockers), Some(vec![a]));
    done(database.send(a, "COMMIT", Vec::new(), 3));
    assert_eq!(database.next_runnable(), Some(b));
    assert_ne!(first(&done(database.resume(b, 3))), taken);
}

#[test]
fn nowait_is_refused_by_the_routine_that_postgresql_names() {
    let (mut database, _) = shop();
    let (a, b) = (database.connect("a", 1), database.connect("b", 1));
    done(claim(&mut database, a, Mode::Nowait, 1));
    let Progress::Done(reply) = claim(&mut database, b, Mode::Nowait, 2) else { panic!("NOWAIT waits") };
    let error = reply.error.expect("an error");
    assert_eq!((error.sqlstate, error.routine), ("55P03", Some("heap_lock_tuple")));
}

#[test]
fn what_is_outside_the_subset_is_refused_by_name() {
    let (mut database, admin) = shop();
    for sql in
        ["SELECT DISTINCT ON (id) id FROM jobs", "SELECT id FROM jobs FETCH FIRST 1 ROW ONLY", "SET work_mem = '1MB'"]
    {
        let Progress::Done(reply) = database.send(admin, sql, Vec::new(), 0) else { panic!("{sql} waits") };
        let error = reply.error.unwrap_or_else(|| panic!("{sql} was taken"));
        assert_eq!(error.sqlstate, "0A000", "{sql}: {error}");
    }
}

#[test]
fn the_same_messages_give_the_same_database() {
    let play = || {
        let (mut database, admin) = shop();
        let session = database.connect("a", 1);
        claim(&mut database, session, Mode::SkipLocked, 1);
        database.send(session, "COMMIT", Vec::new(), 2);
        let reply = done(database.send(admin, "SELECT id, status, ctid FROM jobs ORDER BY id", Vec::new(), 3));
        format!("{:?}", reply.outputs[0].rows)
    };
    assert_eq!(play(), play());
}
