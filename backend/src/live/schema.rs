//! A run's schema: made, migrated, indexed and filled as the scenario asks.

use super::error::LiveError;
use super::postgres::{Postgres, run_schema};
use rowlock_shared::ids::HISTORY_BASE;
use rowlock_shared::scenario::{Autovacuum, Order, Scenario};
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
        if scenario.history > 0 {
            sqlx::query(include_str!("../../sql/run/history.sql"))
                .bind(i64::from(HISTORY_BASE))
                .bind(i64::from(scenario.history))
                .execute(&mut session)
                .await?;
        }
        if scenario.partial_index {
            session.execute(index_text(scenario.order)).await?;
        }
        match scenario.autovacuum {
            Autovacuum::Default => {}
            Autovacuum::Off => {
                session.execute(include_str!("../../sql/run/autovacuum_off.sql")).await?;
            }
            Autovacuum::Tuned => {
                session.execute(include_str!("../../sql/run/autovacuum_tuned.sql")).await?;
            }
        }
        if scenario.history > 0 {
            session.execute(include_str!("../../sql/run/analyze.sql")).await?;
        }
        session.close().await
    };
    steps.await.map_err(LiveError::during("filling a run's schema"))
}

fn index_text(order: Order) -> &'static str {
    match order {
        Order::Unordered | Order::RunAt => include_str!("../../sql/run/index_run_at.sql"),
        Order::RunAtId => include_str!("../../sql/run/index_run_at_id.sql"),
        Order::PriorityRunAtId => include_str!("../../sql/run/index_priority.sql"),
    }
}
