//! The program's `Session` and `Database` on a real PostgreSQL: one bare connection each, never a pool's, because a
//! dropped connection stands for a crashed client and must not say ROLLBACK.

use super::error::refusal;
use super::postgres::Postgres;
use rowlock_shared::event::{Refusal, RefusalKind};
use rowlock_shared::ids::Actor;
use rowlock_shared::program::{Answer, Call, Database, Listener, Session, Value};
use rowlock_shared::scenario::Scenario;
use rowlock_shared::wire::RunId;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgListener, PgPoolOptions, PgRow};
use sqlx::{Arguments, AssertSqlSafe, Column, ConnectOptions, Either, Executor, PgConnection, Row, TypeInfo};
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// One connection.
pub(super) struct PgSession {
    connection: PgConnection,
    pid: i32,
}

impl PgSession {
    /// Opens a connection and asks which backend serves it.
    pub(super) async fn open(options: &PgConnectOptions) -> Result<PgSession, Refusal> {
        let mut connection = options.connect().await.map_err(|error| refusal(&error))?;
        let pid = sqlx::query_scalar(include_str!("../../sql/server/backend_pid.sql"))
            .fetch_one(&mut connection)
            .await
            .map_err(|error| refusal(&error))?;
        Ok(PgSession { connection, pid })
    }

    /// The connection, for statements that are the engine's own and not the queue program's.
    pub(super) fn connection(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

impl Session for PgSession {
    async fn execute(&mut self, call: Call<'_>) -> Result<Answer, Refusal> {
        // BEGIN, COMMIT and ROLLBACK too are prepared once and then only executed: the server parses nothing again.
        let result = run(&mut self.connection, call).await;
        result.map_err(|error| refusal(&error))
    }

    fn pid(&self) -> i32 {
        self.pid
    }
}

async fn run(connection: &mut PgConnection, call: Call<'_>) -> Result<Answer, sqlx::Error> {
    use futures_util::TryStreamExt;
    let arguments = arguments(call.args)?;
    // Every text comes from the statement files and the closed list of slots; no client's text is in it.
    let query = sqlx::query_with(AssertSqlSafe(call.text), arguments);
    let mut answer = Answer::default();
    let mut stream = connection.fetch_many(query);
    while let Some(part) = stream.try_next().await? {
        match part {
            Either::Left(done) => answer.affected += done.rows_affected(),
            Either::Right(row) => answer.rows.push(values(&row)?),
        }
    }
    Ok(answer)
}

/// Parameters as the driver wants them.
pub(super) fn arguments(values: &[Value]) -> Result<PgArguments, sqlx::Error> {
    let mut arguments = PgArguments::default();
    for value in values {
        match value {
            Value::Null => arguments.add(None::<String>),
            Value::Int(n) => arguments.add(*n),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Ints(numbers) => arguments.add(numbers.as_slice()),
            Value::Texts(texts) => arguments.add(texts.as_slice()),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

fn values(row: &PgRow) -> Result<Vec<Value>, sqlx::Error> {
    let value = |column: &sqlx::postgres::PgColumn| {
        let at = column.ordinal();
        Ok(match column.type_info().name() {
            "INT2" => row.try_get::<Option<i16>, _>(at)?.map_or(Value::Null, |n| Value::Int(n.into())),
            "INT4" => row.try_get::<Option<i32>, _>(at)?.map_or(Value::Null, |n| Value::Int(n.into())),
            "INT8" => row.try_get::<Option<i64>, _>(at)?.map_or(Value::Null, Value::Int),
            "TEXT" | "VARCHAR" | "NAME" => row.try_get::<Option<String>, _>(at)?.map_or(Value::Null, Value::Text),
            "INT8[]" => row.try_get::<Option<Vec<i64>>, _>(at)?.map_or(Value::Null, Value::Ints),
            // pg_notify and pg_terminate_backend: nothing that the program reads.
            _ => Value::Null,
        })
    };
    row.columns().iter().map(value).collect()
}

/// The connections of one run.
pub(super) struct RunDatabase {
    postgres: Postgres,
    run: RunId,
    options: PgConnectOptions,
    outside: Outside,
}

/// How many connections effects share: the outside world is one slow mail server, not one a worker.
pub(super) const OUTSIDE_SESSIONS: u32 = 4;

struct Outside {
    places: Semaphore,
    idle: RefCell<Vec<PgSession>>,
}

/// A session on loan; it goes back when it is dropped, unless it broke.
pub(super) struct OnLoan<'a> {
    session: Option<PgSession>,
    outside: &'a Outside,
    _place: SemaphorePermit<'a>,
}

impl Deref for OnLoan<'_> {
    type Target = PgSession;
    #[allow(clippy::expect_used, reason = "taken only in drop")]
    fn deref(&self) -> &PgSession {
        self.session.as_ref().expect("on loan until dropped")
    }
}

impl DerefMut for OnLoan<'_> {
    #[allow(clippy::expect_used, reason = "taken only in drop")]
    fn deref_mut(&mut self) -> &mut PgSession {
        self.session.as_mut().expect("on loan until dropped")
    }
}

impl Drop for OnLoan<'_> {
    fn drop(&mut self) {
        // A worker killed in the middle of its effect leaves a statement in flight; the driver reads its rest before the
        // next one, so the session can go back all the same.
        self.outside.idle.borrow_mut().extend(self.session.take());
    }
}

impl RunDatabase {
    /// The connections of a run on this server.
    pub(super) fn new(postgres: Postgres, run: RunId, scenario: &Scenario) -> RunDatabase {
        let options = postgres.run_options(run, scenario);
        let outside = Outside { places: Semaphore::new(OUTSIDE_SESSIONS as usize), idle: RefCell::default() };
        RunDatabase { postgres, run, options, outside }
    }

    /// Ends every backend of the run that is left.
    pub(super) async fn terminate_all(&self) -> Result<(), super::LiveError> {
        let mut session = self.postgres.session().await?;
        sqlx::query(include_str!("../../sql/run/terminate_all.sql"))
            .bind(format!("rowlock run {} ", self.run))
            .execute(&mut session)
            .await
            .map(|_| ())
            .map_err(super::LiveError::during("ending the backends of a run"))
    }

    fn named(&self, who: Actor) -> PgConnectOptions {
        self.options.clone().application_name(&application_name(self.run, who))
    }
}

/// What a session calls itself: a person sees it in pg_stat_activity.
pub(super) fn application_name(run: RunId, who: Actor) -> String {
    match who {
        Actor::Worker(id) => format!("rowlock run {run} {}", id.name()),
        other => format!("rowlock run {run} {}", other.mark()),
    }
}

impl Database for RunDatabase {
    type Session = PgSession;
    type Listener = RunListener;

    async fn open(&self, who: Actor) -> Result<PgSession, Refusal> {
        // Timeouts are knobs of the workers; the bystander, above all, must not be ended by one.
        let options = match who {
            Actor::Worker(_) => self.named(who),
            _ => self.postgres.quiet_options(self.run).application_name(&application_name(self.run, who)),
        };
        PgSession::open(&options).await
    }

    async fn outside(&self) -> Result<impl DerefMut<Target = PgSession>, Refusal> {
        let place = self.outside.places.acquire().await.map_err(|_| lost("the run is over"))?;
        let idle = self.outside.idle.borrow_mut().pop();
        let session = match idle {
            Some(session) => session,
            None => self.open(Actor::Outside).await?,
        };
        Ok(OnLoan { session: Some(session), outside: &self.outside, _place: place })
    }

    async fn listen(&self) -> Result<RunListener, Refusal> {
        let options = self.postgres.quiet_options(self.run);
        let options = options.application_name(&application_name(self.run, Actor::Listener));
        // The driver's listener wants a pool; this one has a single connection.
        let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await;
        let pool = pool.map_err(|error| refusal(&error))?;
        let mut listener = PgListener::connect_with(&pool).await.map_err(|error| refusal(&error))?;
        listener.eager_reconnect(false);
        listener.ignore_pool_close_event(true);
        listener.listen(&self.channel()).await.map_err(|error| refusal(&error))?;
        Ok(RunListener(listener))
    }

    fn channel(&self) -> String {
        format!("rowlock_run_{}", self.run)
    }

    fn advisory_key(&self) -> i32 {
        // The two-key form: all runs' locks share the class, and a run's number is never used again.
        i32::try_from(self.run.0).unwrap_or(i32::MAX)
    }

    async fn terminate(&self, pid: i32) -> Result<(), Refusal> {
        let mut session = self.open(Actor::Run).await?;
        sqlx::query(include_str!("../../sql/run/terminate.sql"))
            .bind(pid)
            .execute(session.connection())
            .await
            .map(|_| ())
            .map_err(|error| refusal(&error))
    }
}

/// The run's one subscription.
pub(super) struct RunListener(PgListener);

impl Listener for RunListener {
    async fn notified(&mut self) -> Result<(), Refusal> {
        match self.0.try_recv().await {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(lost("the listener's connection is gone")),
            Err(error) => Err(refusal(&error)),
        }
    }
}

fn lost(message: &str) -> Refusal {
    Refusal { kind: RefusalKind::ConnectionLost, sqlstate: None, routine: None, message: message.to_owned() }
}

/// The engine: everything live.
pub(super) struct Live;

impl rowlock_shared::program::Engine for Live {
    type Database = RunDatabase;
    type Clock = super::clock::WallClock;
    type Points = Rc<rowlock_shared::program::Breakpoints>;
}
