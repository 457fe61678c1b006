//! What can go wrong between the server and a database, and the database's refusals in the program's words.

use rowlock_shared::event::{Refusal, RefusalKind};
use rowlock_shared::text::Message;
use sqlx::postgres::PgDatabaseError;

/// An error of the live engine.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The URL cannot be read.
    #[error("DATABASE_URL is not a PostgreSQL address: {reason}; give it as postgres://user@host:5432/database")]
    BadUrl {
        /// What the parser said. The URL itself may hold a password and is not repeated.
        reason: String,
    },
    /// The server is too old.
    #[error("the server is PostgreSQL {version}; Rowlock needs 14 or newer")]
    TooOld {
        /// Its version.
        version: String,
    },
    /// The role may not create schemas.
    #[error("the role may not create schemas in database {database}; run GRANT CREATE ON DATABASE {database} TO it")]
    NoCreate {
        /// The database.
        database: String,
    },
    /// A statement failed.
    #[error("{what}: {source}")]
    Statement {
        /// What was being done.
        what: &'static str,
        /// The error.
        source: sqlx::Error,
    },
    /// A migration failed.
    #[error("the schema cannot be brought up to date: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
}

impl LiveError {
    pub(super) fn during(what: &'static str) -> impl FnOnce(sqlx::Error) -> LiveError {
        move |source| LiveError::Statement { what, source }
    }

    /// Whether the connection is gone or the server cannot be reached.
    pub fn is_lost(&self) -> bool {
        matches!(self, LiveError::Statement { source, .. } if refusal(source).kind.ends_session())
    }

    /// The sentence for a reader.
    pub fn message(&self) -> Message {
        let text = |key| Message::new(key).with("detail", self.to_string());
        match self {
            LiveError::BadUrl { reason } => Message::new("live-bad-url").with("reason", reason.as_str()),
            LiveError::TooOld { version } => Message::new("live-too-old").with("version", version.as_str()),
            LiveError::NoCreate { database } => Message::new("live-no-create").with("database", database.as_str()),
            LiveError::Statement { .. } | LiveError::Migrate(_) => text("live-statement"),
        }
    }
}

/// An error of the driver in the program's words.
pub(super) fn refusal(error: &sqlx::Error) -> Refusal {
    let Some(database) = error.as_database_error() else {
        let kind = match error {
            sqlx::Error::Io(_) | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed | sqlx::Error::Tls(_) => {
                RefusalKind::ConnectionLost
            }
            sqlx::Error::Protocol(_) => RefusalKind::ConnectionLost,
            _ => RefusalKind::Other,
        };
        return Refusal { kind, sqlstate: None, routine: None, message: error.to_string() };
    };
    let sqlstate = database.code().map(|code| code.into_owned());
    let routine = database.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::routine).map(str::to_owned);
    let kind = RefusalKind::of(sqlstate.as_deref(), routine.as_deref());
    Refusal { kind, sqlstate, routine, message: database.message().to_owned() }
}
