//! Sessions driven by hand on a table of their own: the same schema and the same statements as a run, and nobody else
//! in the way.

use crate::server::{PATIENCE, next_run, person, server};
use futures_util::TryStreamExt;
use rowlock_backend::live::{self, Postgres};
use rowlock_shared::program::Value;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::sql::{StatementId, text};
use sqlx::postgres::{PgArguments, PgDatabaseError, PgRow};
use sqlx::{Arguments, AssertSqlSafe, Either, Executor, PgConnection, Row};
use std::time::Instant;
use tokio::task::JoinHandle;

/// A run's schema without a run, and one session that watches the others.
pub(crate) struct Table {
    pub(crate) url: String,
    pub(crate) schema: String,
    pub(crate) scenario: Scenario,
    pub(crate) watch: Hand,
}

impl Table {
    /// A table with jobs 1 to `jobs`, all due, made as a run of this scenario would make it.
    pub(crate) async fn new(scenario: Scenario, jobs: i64) -> Table {
        let server = server().await;
        Table::on(&server.postgres, server.url.clone(), scenario, jobs).await
    }

    /// The same in a database of its own: no other test's snapshot holds back vacuum there.
    pub(crate) async fn alone(scenario: Scenario, jobs: i64) -> Table {
        let server = server().await;
        let name = format!("facts_{}", next_run());
        let mut session = person(&server.url).await;
        session.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.expect("creates a database");
        let url = server.url.replacen("/postgres", &format!("/{name}"), 1);
        let postgres = Postgres::connect(&url).await.expect("connects to the new database");
        Table::on(&postgres, url, scenario, jobs).await
    }

    /// A second table in the same database, in a schema of its own.
    pub(crate) async fn neighbour(&self, jobs: i64) -> Table {
        let postgres = Postgres::connect(&self.url).await.expect("connects");
        Table::on(&postgres, self.url.clone(), self.scenario.clone(), jobs).await
    }

    async fn on(postgres: &Postgres, url: String, scenario: Scenario, jobs: i64) -> Table {
        let run = next_run();
        live::prepare(postgres, run, &scenario).await.expect("makes a schema");
        let schema = format!("rowlock_run_{run}");
        let mut watch = Hand::open(&url, &schema).await;
        let enqueue = "INSERT INTO jobs (id) SELECT generate_series(1, $1::bigint)";
        watch.ask(enqueue, &[Value::Int(jobs)]).await.expect("enqueues");
        Table { url, schema, scenario, watch }
    }

    /// One more session.
    pub(crate) async fn hand(&self) -> Hand {
        Hand::open(&self.url, &self.schema).await
    }

    /// A statement of the queue program, under the table's scenario.
    pub(crate) fn text(&self, statement: StatementId) -> String {
        text(statement, &self.scenario)
    }

    /// The claim, under the table's scenario: (text, arguments).
    pub(crate) fn claim(&self, worker: &str) -> (String, Vec<Value>) {
        (self.text(StatementId::Claim), vec![Value::Text(worker.to_owned())])
    }

    /// Waits until a backend is seen waiting for a lock, and tells for which.
    pub(crate) async fn wait_of(&mut self, pid: i32) -> Wait {
        let sql = "SELECT locktype, mode, pg_blocking_pids(pid) AS blockers FROM pg_locks
                   WHERE pid = $1 AND NOT granted AND waitstart IS NOT NULL";
        let limit = Instant::now() + PATIENCE;
        while Instant::now() < limit {
            let seen = self.watch.ask(sql, &[Value::Int(pid.into())]).await.expect("pg_locks");
            if let Some(row) = seen.rows.first() {
                return Wait { locktype: row.get("locktype"), mode: row.get("mode"), blockers: row.get("blockers") };
            }
        }
        panic!("backend {pid} was never seen waiting");
    }

    /// Waits until a backend waits behind exactly these.
    pub(crate) async fn wait_behind(&mut self, pid: i32, blockers: &[i32]) -> Wait {
        let limit = Instant::now() + PATIENCE;
        loop {
            let wait = self.wait_of(pid).await;
            if wait.blockers == blockers {
                return wait;
            }
            assert!(Instant::now() < limit, "backend {pid} waits behind {:?}, not {blockers:?}", wait.blockers);
        }
    }

    /// Whether a backend waits for a lock at this moment.
    pub(crate) async fn waits(&mut self, pid: i32) -> bool {
        let sql = "SELECT count(*) FROM pg_locks WHERE pid = $1 AND NOT granted";
        self.watch.number(sql, &[Value::Int(pid.into())]).await > 0
    }

    /// Waits until a count is this.
    pub(crate) async fn until(&mut self, sql: &str, args: &[Value], wanted: i64) {
        let limit = Instant::now() + PATIENCE;
        loop {
            let is = self.watch.number(sql, args).await;
            if is == wanted {
                return;
            }
            assert!(Instant::now() < limit, "{sql}: is {is}, and was to become {wanted}");
        }
    }

    /// Waits until a backend is gone.
    pub(crate) async fn gone(&mut self, pid: i32) {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1";
        self.until(sql, &[Value::Int(pid.into())], 0).await;
    }

    /// A job's status and attempts, as committed.
    pub(crate) async fn job(&mut self, id: i64) -> (String, i32) {
        let answer = self.watch.ask("SELECT status, attempts FROM jobs WHERE id = $1", &[Value::Int(id)]).await;
        let answer = answer.expect("reads a job");
        let row = answer.rows.first().expect("the job is there");
        (row.get(0), row.get(1))
    }

    /// The rows that pgrowlocks shows as locked: (job, pids, modes).
    pub(crate) async fn row_locks(&mut self) -> Vec<(i64, Vec<i32>, Vec<String>)> {
        let sql = "SELECT jobs.id, locks.pids, locks.modes FROM rowlock.pgrowlocks('jobs') AS locks
                   JOIN jobs ON jobs.ctid = locks.locked_row ORDER BY jobs.id";
        let answer = self.watch.ask(sql, &[]).await.expect("pgrowlocks");
        answer.rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect()
    }
}

/// A wait as pg_locks and pg_blocking_pids have it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) locktype: String,
    pub(crate) mode: String,
    pub(crate) blockers: Vec<i32>,
}

/// A refusal by the server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) sqlstate: String,
    pub(crate) routine: String,
}

/// A statement's answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<PgRow>,
    pub(crate) affected: u64,
}

impl Answer {
    /// The first column, a bigint in every statement that is asked here.
    pub(crate) fn ids(&self) -> Vec<i64> {
        self.rows.iter().map(|row| row.get(0)).collect()
    }

    /// A claim's evidence: what its n-th row says it passed over.
    pub(crate) fn passed(&self, n: usize) -> Vec<i64> {
        self.rows[n].get("passed")
    }
}

/// One session.
pub(crate) struct Hand {
    pub(crate) pid: i32,
    session: PgConnection,
}

impl Hand {
    pub(crate) async fn open(url: &str, schema: &str) -> Hand {
        let mut session = person(url).await;
        let path = format!("SET search_path = {schema}, rowlock");
        session.execute(AssertSqlSafe(path)).await.expect("sets its path");
        let pid = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut session).await.expect("a pid");
        Hand { pid, session }
    }

    /// Executes a statement.
    pub(crate) async fn ask(&mut self, text: &str, args: &[Value]) -> Result<Answer, Refused> {
        let answer = tokio::time::timeout(PATIENCE, self.answer(text, args)).await;
        answer.unwrap_or_else(|_| panic!("no answer to: {text}"))
    }

    async fn answer(&mut self, text: &str, args: &[Value]) -> Result<Answer, Refused> {
        let query = sqlx::query_with(AssertSqlSafe(text), arguments(args));
        let mut answer = Answer::default();
        let mut stream = self.session.fetch_many(query);
        loop {
            match stream.try_next().await {
                Ok(Some(Either::Left(done))) => answer.affected += done.rows_affected(),
                Ok(Some(Either::Right(row))) => answer.rows.push(row),
                Ok(None) => return Ok(answer),
                Err(error) => return Err(refused(&error)),
            }
        }
    }

    /// Executes plain text that must succeed; returns the count of rows.
    pub(crate) async fn tell(&mut self, text: &str) -> u64 {
        let done = tokio::time::timeout(PATIENCE, self.session.execute(sqlx::raw_sql(AssertSqlSafe(text)))).await;
        let done = done.unwrap_or_else(|_| panic!("no answer to: {text}"));
        done.unwrap_or_else(|error| panic!("{text}: {error}")).rows_affected()
    }

    /// Executes a query of one number.
    pub(crate) async fn number(&mut self, text: &str, args: &[Value]) -> i64 {
        let answer = self.ask(text, args).await.unwrap_or_else(|refused| panic!("{text}: {refused:?}"));
        answer.rows.first().unwrap_or_else(|| panic!("{text}: no row")).get(0)
    }

    /// Claims by the table's scenario.
    pub(crate) async fn claim(&mut self, table: &Table, worker: &str) -> Result<Answer, Refused> {
        let (text, args) = table.claim(worker);
        self.ask(&text, &args).await
    }

    /// Sends a statement and does not wait for its answer.
    pub(crate) fn start(mut self, text: impl Into<String>, args: Vec<Value>) -> Pending {
        let (pid, text) = (self.pid, text.into());
        let task = tokio::spawn(async move {
            let answer = self.ask(&text, &args).await;
            (self, answer)
        });
        Pending { pid, task }
    }

    /// Sends a claim and does not wait for its answer.
    pub(crate) fn start_claim(self, table: &Table, worker: &str) -> Pending {
        let (text, args) = table.claim(worker);
        self.start(text, args)
    }
}

/// A statement in flight.
pub(crate) struct Pending {
    pub(crate) pid: i32,
    task: JoinHandle<(Hand, Result<Answer, Refused>)>,
}

impl Pending {
    /// Its session and its answer.
    pub(crate) async fn end(self) -> (Hand, Result<Answer, Refused>) {
        let ended = tokio::time::timeout(PATIENCE, self.task).await;
        ended.expect("the statement ends").expect("no panic")
    }

    /// Its session and its answer, which is no error.
    pub(crate) async fn answer(self) -> (Hand, Answer) {
        let (hand, answer) = self.end().await;
        (hand, answer.expect("the statement succeeds"))
    }

    /// The client dies: its socket closes without a word.
    pub(crate) async fn die(self) {
        self.task.abort();
        assert!(self.task.await.is_err_and(|error| error.is_cancelled()), "the statement was in flight");
    }
}

fn arguments(values: &[Value]) -> PgArguments {
    let mut arguments = PgArguments::default();
    for value in values {
        match value {
            Value::Null => arguments.add(None::<String>),
            Value::Int(n) => arguments.add(*n),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Ints(numbers) => arguments.add(numbers.as_slice()),
            Value::Texts(texts) => arguments.add(texts.as_slice()),
        }
        .expect("encodes");
    }
    arguments
}

fn refused(error: &sqlx::Error) -> Refused {
    let Some(database) = error.as_database_error() else { panic!("no word from the server: {error}") };
    let routine = database.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::routine);
    Refused {
        sqlstate: database.code().unwrap_or_default().into_owned(),
        routine: routine.unwrap_or_default().to_owned(),
    }
}
