//! A run's schema: made, migrated, indexed and filled as the scenario asks.

use super::error::LiveError;
use super::postgres::{Postgres, run_schema};
use super::session::arguments;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::sql::schema::preparation;
use rowlock_shared::wire::RunId;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

/// Makes the schema of a run, without its jobs. [`super::start`] does so by itself.
///
/// # Errors
/// The server cannot be reached or refuses a statement.
pub async fn prepare(postgres: &Postgres, run: RunId, scenario: &Scenario) -> Result<(), LiveError> {
    let connect = LiveError::during("connecting to prepare a run");
    let mut session = postgres.quiet_options(run).connect().await.map_err(connect)?;
    let create = include_str!("../../sql/run/create_schema.sql").replace("{{schema}}", &run_schema(run));
    session.execute(AssertSqlSafe(create)).await.map_err(LiveError::during("creating a run's schema"))?;
    // Each schema has a migrations table of its own, and nobody else works in it.
    let mut migrations = sqlx::migrate!("../migrations/run");
    migrations.set_locking(false);
    migrations.run_direct(None, &mut session, false).await?;
    let steps = async {
        for (text, args) in preparation(scenario) {
            // VACUUM cannot be prepared: without parameters a text goes as it is.
            if args.is_empty() {
                session.execute(text).await?;
            } else {
                sqlx::query_with(text, arguments(&args)?).execute(&mut session).await?;
            }
        }
        session.close().await
    };
    steps.await.map_err(LiveError::during("filling a run's schema"))
}
