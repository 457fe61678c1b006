//! The server's own tables: finished runs, and which servers are alive. SQL is in `backend/sql/store`.
//!
//! Several servers may share a database. Each holds the advisory lock of its row in `servers` through a session of its
//! own ([`Presence`]); whoever finds that lock free knows that the server is gone, and clears away the schemas that it
//! left. Nothing else is ever dropped: only schemas of runs that are written down in `runs`.

use super::error::LiveError;
use super::postgres::{Postgres, run_schema};
use rowlock_shared::event::EndReason;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::wire::RunId;
use rowlock_shared::world::Summary;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};

/// Added to a server's id to make the key of its advisory lock: "rowlock" in ASCII, shifted out of the way of other
/// programs' small numbers. Runs use keys of two numbers, which PostgreSQL keeps apart from keys of one.
const PRESENCE_KEY: i64 = 0x72_6f77_6c6f_636b;

/// Most finished runs in a list.
const LISTED: i64 = 500;

/// A finished run without its events.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// Its number.
    pub id: RunId,
    /// When it was started, in seconds since 1970.
    pub started_at: i64,
    /// Its scenario.
    pub scenario: Scenario,
    /// Why it ended.
    pub ended: EndReason,
    /// Its summary.
    pub summary: Summary,
}

/// How many finished runs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// For how many days.
    pub days: i32,
    /// How many bytes of compressed events in all.
    pub bytes: i64,
}

/// Thirty days and half a gigabyte: some thousand ordinary runs.
impl Default for Keep {
    fn default() -> Keep {
        Keep { days: 30, bytes: 512 << 20 }
    }
}

/// The tables, for one server.
#[derive(Clone)]
pub struct Store {
    postgres: Postgres,
    server: i64,
}

/// The session that says "this server is alive".
pub struct Presence {
    session: PgConnection,
}

impl Presence {
    /// Whether the session, and with it the database, is still there.
    ///
    /// # Errors
    /// It is not.
    pub async fn check(&mut self) -> Result<(), LiveError> {
        self.session.ping().await.map_err(LiveError::during("asking the database whether it is there"))
    }
}

impl Store {
    /// Brings the tables up to date, registers this server and clears away what dead servers left. `mine` are servers
    /// that this process has been before (it reconnects after a loss): they are left alone.
    ///
    /// # Errors
    /// The server cannot be reached or refuses a statement.
    pub async fn open(postgres: &Postgres, mine: &[i64]) -> Result<(Store, Presence), LiveError> {
        let mut session = postgres.session().await?;
        sqlx::migrate!("../migrations/server").run_direct(None, &mut session, false).await?;
        let register = async {
            let mut transaction = session.begin().await?;
            let server: i64 =
                sqlx::query_scalar(include_str!("../../sql/store/register.sql")).fetch_one(&mut *transaction).await?;
            sqlx::query(include_str!("../../sql/store/hold_presence.sql"))
                .bind(PRESENCE_KEY + server)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await?;
            Ok(server)
        };
        let server = register.await.map_err(LiveError::during("registering this server"))?;
        let store = Store { postgres: postgres.clone(), server };
        let mut alive = mine.to_vec();
        alive.push(server);
        store.clear_up_after_the_dead(&alive).await?;
        Ok((store, Presence { session }))
    }

    /// This server's number.
    pub fn server(&self) -> i64 {
        self.server
    }

    async fn clear_up_after_the_dead(&self, alive: &[i64]) -> Result<(), LiveError> {
        let mut session = self.postgres.session().await?;
        let what = "clearing up after servers that are gone";
        let dead: Vec<i64> = sqlx::query_scalar(include_str!("../../sql/store/dead_servers.sql"))
            .bind(alive)
            .bind(PRESENCE_KEY)
            .fetch_all(&mut session)
            .await
            .map_err(LiveError::during(what))?;
        for server in dead {
            let runs: Vec<i32> = sqlx::query_scalar(include_str!("../../sql/store/schemas_of_server.sql"))
                .bind(server)
                .fetch_all(&mut session)
                .await
                .map_err(LiveError::during(what))?;
            let mut left = 0;
            for run in runs.into_iter().map(run_id) {
                // Someone's psql may still look at it: the next start tries again.
                match self.clear(run).await {
                    Ok(()) => tracing::info!(run = run.0, server, "dropped the schema that a killed server left"),
                    Err(error) => {
                        left += 1;
                        tracing::warn!(run = run.0, server, %error, "a killed server's schema stays for now");
                    }
                }
            }
            let tidy = async {
                if left == 0 {
                    let forget = include_str!("../../sql/store/forget_unfinished.sql");
                    sqlx::query(forget).bind(server).execute(&mut session).await?;
                    let forget = include_str!("../../sql/store/forget_server.sql");
                    sqlx::query(forget).bind(server).execute(&mut session).await?;
                }
                let release = include_str!("../../sql/store/release_presence.sql");
                sqlx::query(release).bind(PRESENCE_KEY + server).execute(&mut session).await
            };
            tidy.await.map_err(LiveError::during(what))?;
        }
        Ok(())
    }

    /// Notes that a run begins, and gives it a number that was never used before.
    ///
    /// # Errors
    /// The server cannot be reached or refuses the statement.
    pub async fn enter(&self, scenario: &Scenario) -> Result<RunId, LiveError> {
        let mut session = self.postgres.session().await?;
        let scenario = Value::Object(scenario.fields()).to_string();
        let insert = sqlx::query_scalar(include_str!("../../sql/store/enter.sql")).bind(self.server).bind(scenario);
        let id: i32 = insert.fetch_one(&mut session).await.map_err(LiveError::during("entering a run"))?;
        let _ = session.close().await;
        Ok(run_id(id))
    }

    /// Keeps a run that ended, with its events as compressed pieces. A second time changes nothing.
    ///
    /// # Errors
    /// The server cannot be reached or refuses a statement; nothing is kept then.
    pub async fn save(&self, run: &StoredRun, pieces: &[Vec<u8>]) -> Result<(), LiveError> {
        let mut session = self.postgres.session().await?;
        let bytes: usize = pieces.iter().map(Vec::len).sum();
        let save = async {
            let mut transaction = session.begin().await?;
            sqlx::query(include_str!("../../sql/store/save.sql"))
                .bind(number(run.id))
                .bind(self.server)
                .bind(run.started_at)
                .bind(Value::Object(run.scenario.fields()).to_string())
                .bind(word(run.ended))
                .bind(json(&run.summary).to_string())
                .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
                .execute(&mut *transaction)
                .await?;
            for (piece, events) in (0i32..).zip(pieces) {
                sqlx::query(include_str!("../../sql/store/save_events.sql"))
                    .bind(number(run.id))
                    .bind(piece)
                    .bind(events)
                    .execute(&mut *transaction)
                    .await?;
            }
            transaction.commit().await
        };
        save.await.map_err(LiveError::during("keeping a run"))?;
        let _ = session.close().await;
        Ok(())
    }

    /// Finished runs, newest first; at most 500. A run of another version of Rowlock that cannot be read is left out.
    ///
    /// # Errors
    /// The server cannot be reached or refuses the statement.
    pub async fn list(&self) -> Result<Vec<StoredRun>, LiveError> {
        let mut session = self.postgres.session().await?;
        let query = sqlx::query(include_str!("../../sql/store/list.sql")).bind(LISTED);
        let rows = query.fetch_all(&mut session).await.map_err(LiveError::during("listing the runs"))?;
        let _ = session.close().await;
        Ok(rows.iter().filter_map(stored_run).collect())
    }

    /// One finished run with the compressed pieces of its events.
    ///
    /// # Errors
    /// The server cannot be reached or refuses a statement.
    pub async fn load(&self, run: RunId) -> Result<Option<(StoredRun, Vec<Vec<u8>>)>, LiveError> {
        let mut session = self.postgres.session().await?;
        let load = async {
            let find = sqlx::query(include_str!("../../sql/store/find.sql")).bind(number(run));
            let row = find.fetch_optional(&mut session).await?;
            let events = sqlx::query_scalar(include_str!("../../sql/store/events.sql")).bind(number(run));
            let pieces: Vec<Vec<u8>> = events.fetch_all(&mut session).await?;
            Ok((row, pieces))
        };
        let (row, pieces) = load.await.map_err(LiveError::during("reading a run"))?;
        let _ = session.close().await;
        Ok(row.as_ref().and_then(stored_run).map(|stored| (stored, pieces)))
    }

    /// Drops a run's schema and notes it.
    ///
    /// # Errors
    /// The server cannot be reached, or a person's lock is in the way.
    pub async fn clear(&self, run: RunId) -> Result<(), LiveError> {
        self.drop_schema(run).await?;
        self.change("noting that a schema is gone", include_str!("../../sql/store/schema_dropped.sql"), run).await
    }

    /// Forgets a run: its schema, its row, its events.
    ///
    /// # Errors
    /// As [`Store::clear`].
    pub async fn delete(&self, run: RunId) -> Result<(), LiveError> {
        self.drop_schema(run).await?;
        self.change("deleting a run", include_str!("../../sql/store/delete.sql"), run).await
    }

    async fn drop_schema(&self, run: RunId) -> Result<(), LiveError> {
        let mut session = self.postgres.session().await?;
        let text = include_str!("../../sql/run/drop_schema.sql").replace("{{schema}}", &run_schema(run));
        let drop = async {
            session.execute(include_str!("../../sql/store/patience.sql")).await?;
            session.execute(AssertSqlSafe(text)).await?;
            session.close().await
        };
        drop.await.map_err(LiveError::during("dropping a run's schema"))
    }

    async fn change(&self, what: &'static str, text: &'static str, run: RunId) -> Result<(), LiveError> {
        let mut session = self.postgres.session().await?;
        sqlx::query(text).bind(number(run)).execute(&mut session).await.map_err(LiveError::during(what))?;
        let _ = session.close().await;
        Ok(())
    }

    /// Forgets runs by age and size; returns which.
    ///
    /// # Errors
    /// The server cannot be reached or refuses the statement.
    pub async fn prune(&self, keep: Keep) -> Result<Vec<RunId>, LiveError> {
        let mut session = self.postgres.session().await?;
        let prune = sqlx::query_scalar(include_str!("../../sql/store/prune.sql")).bind(keep.days).bind(keep.bytes);
        let gone: Vec<i32> = prune.fetch_all(&mut session).await.map_err(LiveError::during("pruning old runs"))?;
        let _ = session.close().await;
        Ok(gone.into_iter().map(run_id).collect())
    }
}

/// The column is PostgreSQL's int, whose identity never leaves the positive half.
fn run_id(id: i32) -> RunId {
    RunId(id.unsigned_abs())
}

/// A number that no run has, such as one above the column's range, becomes one that no row has.
fn number(run: RunId) -> i32 {
    i32::try_from(run.0).unwrap_or(-1)
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

fn word(reason: EndReason) -> String {
    json(&reason).as_str().unwrap_or_default().to_owned()
}

fn stored_run(row: &PgRow) -> Option<StoredRun> {
    let read = || -> Result<StoredRun, Box<dyn std::error::Error>> {
        Ok(StoredRun {
            id: run_id(row.try_get("id")?),
            started_at: row.try_get("started_at")?,
            scenario: serde_json::from_str(row.try_get("scenario")?)?,
            ended: serde_json::from_value(Value::from(row.try_get::<&str, _>("ended")?))?,
            summary: serde_json::from_str(row.try_get("summary")?)?,
        })
    };
    read().inspect_err(|error| tracing::warn!(%error, "a kept run cannot be read")).ok()
}
