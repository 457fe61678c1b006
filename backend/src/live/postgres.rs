//! One PostgreSQL server: how to connect to it, what it is and what the role may do there.

use super::error::LiveError;
use super::session::OUTSIDE_SESSIONS;
use rowlock_shared::scenario::{KnobError, Scenario};
use rowlock_shared::text::Message;
use rowlock_shared::wire::RunId;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, Row};
use std::str::FromStr;
use std::sync::Arc;

/// A server. Cheap to clone.
#[derive(Clone)]
pub struct Postgres(Arc<Inner>);

struct Inner {
    options: PgConnectOptions,
    version: String,
    connections: u32,
    /// Where pgrowlocks is installed, if it is.
    pgrowlocks: Option<String>,
    notices: Vec<Message>,
}

/// The schema of the server's own tables.
pub(super) const SERVER_SCHEMA: &str = "rowlock";

/// The schema of a run.
pub(super) fn run_schema(run: RunId) -> String {
    format!("rowlock_run_{run}")
}

impl Postgres {
    /// Connects, checks version and rights, makes the server's own schema and tries to install pgrowlocks.
    ///
    /// # Errors
    /// The URL cannot be read, the server cannot be reached, is older than 14, or the role may not create schemas.
    pub async fn connect(url: &str) -> Result<Postgres, LiveError> {
        let options =
            PgConnectOptions::from_str(url).map_err(|error| LiveError::BadUrl { reason: error.to_string() })?;
        let options = options.application_name("rowlock").disable_statement_logging();
        let mut connection = options.connect().await.map_err(LiveError::during("connecting to PostgreSQL"))?;
        let facts = read_facts(&mut connection).await?;
        if facts.version_num < 140_000 {
            return Err(LiveError::TooOld { version: facts.version });
        }
        if !facts.may_create {
            let database = options.get_database().unwrap_or_else(|| options.get_username()).to_owned();
            return Err(LiveError::NoCreate { database });
        }
        connection
            .execute(include_str!("../../sql/server/create_schema.sql"))
            .await
            .map_err(LiveError::during("creating the schema rowlock"))?;
        let mut pgrowlocks = facts.pgrowlocks_schema;
        let mut notices = Vec::new();
        if pgrowlocks.is_none() {
            match connection.execute(include_str!("../../sql/server/create_pgrowlocks.sql")).await {
                Ok(_) => pgrowlocks = Some(SERVER_SCHEMA.to_owned()),
                Err(error) => {
                    let why = super::error::refusal(&error).message;
                    notices.push(Message::new("notice-no-pgrowlocks").with("why", why));
                }
            }
        }
        if !facts.reads_all_stats {
            notices.push(Message::new("notice-no-all-stats"));
        }
        // A polite end: the server's log stays clean.
        let _ = connection.close().await;
        Ok(Postgres(Arc::new(Inner {
            options,
            version: format!("PostgreSQL {}", facts.version.split(' ').next().unwrap_or(&facts.version)),
            connections: facts.connections,
            pgrowlocks,
            notices,
        })))
    }

    /// The server's name and version, such as "PostgreSQL 15.18".
    pub fn version(&self) -> String {
        self.0.version.clone()
    }

    /// What is missing, for the viewer.
    pub fn notices(&self) -> Vec<Message> {
        self.0.notices.clone()
    }

    /// Whether row locks can be read.
    pub(super) fn has_pgrowlocks(&self) -> bool {
        self.0.pgrowlocks.is_some()
    }

    /// Whether a run of this scenario finds enough free connections.
    ///
    /// # Errors
    /// It does not; the error names `workers`. A server that cannot be asked is not an error here: the start will be.
    pub async fn check_fits(&self, scenario: &Scenario) -> Result<(), KnobError> {
        let Ok(mut session) = self.session().await else { return Ok(()) };
        let used: i64 =
            match sqlx::query_scalar(include_str!("../../sql/server/connections.sql")).fetch_one(&mut session).await {
                Ok(used) => used,
                Err(_) => return Ok(()),
            };
        // Producer, reaper, heartbeat, listener, bystander, umpire, observer, one to terminate backends.
        let needed = scenario.workers + OUTSIDE_SESSIONS + 8;
        let free = self.0.connections.saturating_sub(u32::try_from(used).unwrap_or(u32::MAX));
        if needed > free {
            return Err(KnobError {
                field: "workers".into(),
                value: scenario.workers.to_string(),
                problem: rowlock_shared::scenario::Problem::TooManyConnections { needed, free },
            });
        }
        Ok(())
    }

    /// Drops a run's schema, with all that is in it.
    ///
    /// # Errors
    /// The server cannot be reached or a person's lock is in the way.
    pub async fn drop_run(&self, run: RunId) -> Result<(), LiveError> {
        let mut session = self.session().await?;
        let text = include_str!("../../sql/run/drop_schema.sql").replace("{{schema}}", &run_schema(run));
        session.execute(AssertSqlSafe(text)).await.map_err(LiveError::during("dropping a run's schema"))?;
        let _ = session.close().await;
        Ok(())
    }

    /// The line to type in a shell to join a run's database: unqualified `jobs` is the run's.
    pub fn psql_line(&self, run: RunId) -> String {
        let options = &self.0.options;
        let host = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => options.get_host().to_owned(),
        };
        let (port, user) = (options.get_port(), options.get_username());
        let database = options.get_database().unwrap_or(user);
        let schema = run_schema(run);
        format!("PGOPTIONS='-c search_path={schema}' psql -h '{host}' -p {port} -U '{user}' -d '{database}'")
    }

    /// A connection for the server's own tables.
    pub(super) async fn session(&self) -> Result<PgConnection, LiveError> {
        let options = self.0.options.clone().options([("search_path", SERVER_SCHEMA)]);
        options.connect().await.map_err(LiveError::during("connecting to PostgreSQL"))
    }

    /// A run's connections without the scenario's timeouts.
    pub(super) fn quiet_options(&self, run: RunId) -> PgConnectOptions {
        // pg_catalog comes first by itself; the extension's schema is there for the observer's pgrowlocks.
        let path = match &self.0.pgrowlocks {
            Some(schema) => format!("{},{schema}", run_schema(run)),
            None => run_schema(run),
        };
        self.0.options.clone().options([("search_path", path)])
    }

    /// A worker's connections: with the scenario's timeouts, in real time.
    pub(super) fn run_options(&self, run: RunId, scenario: &Scenario) -> PgConnectOptions {
        let mut settings = vec![
            ("lock_timeout", scenario.real_ms(scenario.lock_timeout_ms)),
            ("idle_in_transaction_session_timeout", scenario.real_ms(scenario.idle_in_transaction_timeout_ms)),
        ];
        if scenario.client_connection_check_ms > 0 {
            // Not every platform of the server has it; it is not asked for unless it is wanted.
            settings.push(("client_connection_check_interval", scenario.real_ms(scenario.client_connection_check_ms)));
        }
        self.quiet_options(run).options(settings.into_iter().map(|(name, ms)| (name, format!("{ms}ms"))))
    }
}

struct Facts {
    version_num: i32,
    version: String,
    may_create: bool,
    reads_all_stats: bool,
    connections: u32,
    pgrowlocks_schema: Option<String>,
}

async fn read_facts(connection: &mut PgConnection) -> Result<Facts, LiveError> {
    let ask = LiveError::during("asking the server what it is");
    let read = async {
        let row = sqlx::query(include_str!("../../sql/server/facts.sql")).fetch_one(connection).await?;
        Ok(Facts {
            version_num: row.try_get("version_num")?,
            version: row.try_get("version")?,
            may_create: row.try_get("may_create")?,
            reads_all_stats: row.try_get("reads_all_stats")?,
            connections: u32::try_from(row.try_get::<i32, _>("connections")?).unwrap_or(0),
            pgrowlocks_schema: row.try_get("pgrowlocks_schema")?,
        })
    };
    read.await.map_err(ask)
}
