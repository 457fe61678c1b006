//! The observer: reads locks, waits and statistics from the system views and tells their differences as events.
//!
//! A short wait can begin and end between two looks, so what it counts is "at least". Its own cost is measured and told,
//! and it backs off: it never spends more than about a fifth of its time in statements.

mod backends;
mod look;
mod rows;
mod waits;

use super::error::refusal;
use super::postgres::Postgres;
use super::session::{Live, application_name};
use backends::Backends;
use look::Look;
use rowlock_shared::event::{Evidence, Refusal, What};
use rowlock_shared::ids::Actor;
use rowlock_shared::program::{Clock, Pulse, Run};
use rowlock_shared::text::Message;
use rowlock_shared::wire::RunId;
use rows::Rows;
use sqlx::{ConnectOptions, PgConnection};
use waits::Waits;

/// How many times longer than its look the observer rests.
const REST_FACTOR: u64 = 4;

/// How often the table's statistics are read, in µs.
const TABLE_PERIOD_US: u64 = 250_000;

/// How often its cost is told, in µs.
const COST_PERIOD_US: u64 = 1_000_000;

/// Watches a run until it is dropped. Without its connection the run has lost its database.
pub(super) async fn observe(postgres: &Postgres, id: RunId, run: &Run<Live>, pulse: &Pulse) {
    let options = postgres.quiet_options(id).application_name(&application_name(id, Actor::Observer));
    let options = options.options([("lock_timeout", look::LOCK_TIMEOUT)]);
    let watch = async {
        let mut connection = options.connect().await?;
        watch(&mut connection, postgres, run, pulse).await
    };
    if let Err(error) = watch.await {
        let refusal: Refusal = refusal(&error);
        if refusal.kind.ends_session() {
            run.fail(&refusal);
        } else {
            run.tell_as(
                Actor::Observer,
                Evidence::Executed,
                What::Notice { message: Message::new("notice-observer-failed").with("why", refusal.message) },
            );
        }
    }
}

async fn watch(
    connection: &mut PgConnection,
    postgres: &Postgres,
    run: &Run<Live>,
    pulse: &Pulse,
) -> Result<(), sqlx::Error> {
    let offset = clock_offset(connection, run).await?;
    let (mut waits, mut rows, mut backends) = (Waits::new(offset), Rows::default(), Backends::default());
    let (mut cost, mut looks) = (0u64, 0u32);
    let (mut table_due, mut cost_due, mut last_stats) = (0, COST_PERIOD_US, None);
    loop {
        let began = run.clock.now();
        let look = Look::take(connection, postgres.has_pgrowlocks(), &waits).await?;
        let now = run.clock.now();
        let tell = &mut |who, what| run.tell_as(who, Evidence::Observed, what);
        backends.update(connection, &look, pulse, tell).await?;
        waits.update(&look, now, pulse, tell);
        rows.update(&look, pulse, tell);
        if now >= table_due {
            let stats = look::table(connection).await?;
            if stats.is_some() && stats != last_stats {
                last_stats = stats;
                run.tell_as(Actor::Observer, Evidence::Observed, What::Table { stats: stats.unwrap_or_default() });
            }
            table_due = now + TABLE_PERIOD_US;
        }
        let spent = run.clock.now() - began;
        (cost, looks) = (cost + spent, looks + 1);
        let shortest = u64::from(run.knobs().scenario.observer_period_ms) * 1000;
        let period_us = shortest.max(spent * REST_FACTOR);
        if now >= cost_due {
            run.tell_as(Actor::Observer, Evidence::Observed, What::ObserverCost { looks, us: cost, period_us });
            cost_due = now + COST_PERIOD_US;
        }
        run.clock.sleep(period_us).await;
    }
}

/// What to subtract from the server's clock (µs since 1970) to get the run's, measured by the quickest of a few round
/// trips and told together with its uncertainty.
async fn clock_offset(connection: &mut PgConnection, run: &Run<Live>) -> Result<i64, sqlx::Error> {
    let mut best: Option<(u64, i64)> = None;
    for _ in 0..5 {
        let before = run.clock.now();
        let server: i64 =
            sqlx::query_scalar(include_str!("../../../sql/observe/clock.sql")).fetch_one(&mut *connection).await?;
        let after = run.clock.now();
        let middle = i64::try_from(before + (after - before) / 2).unwrap_or(i64::MAX);
        let trip = after - before;
        if best.is_none_or(|(quickest, _)| trip < quickest) {
            best = Some((trip, server - middle));
        }
    }
    let (trip, offset) = best.unwrap_or_default();
    let message = Message::new("notice-clock").with("us", trip.div_ceil(2));
    run.tell_as(Actor::Observer, Evidence::Observed, What::Notice { message });
    Ok(offset)
}
