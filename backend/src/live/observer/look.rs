//! One look at the system views.

use super::waits::Waits;
use crate::live::error::refusal;
use rowlock_shared::event::{RefusalKind, TableStats};
use rowlock_shared::ids::{HISTORY_BASE, JobId};
use sqlx::{PgConnection, Row};
use std::collections::BTreeMap;

/// `lock_timeout` of the observer's session: it must not stand in the very line that it is to show.
pub(super) const LOCK_TIMEOUT: &str = "50ms";

/// A place in the heap, as PostgreSQL prints it: `(page,tuple)`.
pub(super) type Ctid = String;

/// A wait as pg_locks has it.
#[derive(Debug, Clone)]
pub(super) struct WaitRow {
    pub(super) pid: i32,
    pub(super) locktype: String,
    pub(super) mode: String,
    pub(super) relation: Option<String>,
    /// The row: of a tuple lock that is waited for, or that the first waiter holds.
    pub(super) tuple: Option<Ctid>,
    pub(super) xid: Option<String>,
    /// µs since 1970 by the server's clock; pg_locks leaves it out for a moment after a wait began.
    pub(super) began: Option<i64>,
    pub(super) blockers: Vec<i32>,
    /// For advisory locks: the second key, which is the job.
    pub(super) advisory_job: Option<JobId>,
}

/// A row lock as pgrowlocks has it.
#[derive(Debug, Clone)]
pub(super) struct RowLock {
    pub(super) pid: i32,
    pub(super) modes: Vec<String>,
    pub(super) xid: String,
    pub(super) job: JobId,
}

/// What one look saw.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) waits: Vec<WaitRow>,
    /// Jobs at the places that the waits name, where the look could still find them.
    pub(super) jobs: BTreeMap<Ctid, JobId>,
    /// `None` without pgrowlocks.
    pub(super) rows: Option<Vec<RowLock>>,
}

impl Look {
    /// Reads the views. Places whose job `known` already has are not asked for again.
    pub(super) async fn take(
        connection: &mut PgConnection,
        row_locks: bool,
        known: &Waits,
    ) -> Result<Look, sqlx::Error> {
        let mut look = Look::default();
        for row in sqlx::query(include_str!("../../../sql/observe/waits.sql")).fetch_all(&mut *connection).await? {
            look.waits.push(wait_row(&row)?);
        }
        let unknown: Vec<Ctid> =
            look.waits.iter().filter_map(|wait| wait.tuple.clone()).filter(|ctid| !known.knows(ctid)).collect();
        if !unknown.is_empty() {
            look.jobs = unless_locked(jobs_at(connection, unknown).await)?.unwrap_or_default();
        }
        if row_locks {
            look.rows = unless_locked(row_locks_of(connection).await)?;
        }
        Ok(look)
    }
}

/// `None` when a person's LOCK TABLE is in the way: the observer waits for nobody (see [`LOCK_TIMEOUT`]).
fn unless_locked<T>(answer: Result<T, sqlx::Error>) -> Result<Option<T>, sqlx::Error> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if refusal(&error).kind == RefusalKind::LockTimeout => Ok(None),
        Err(error) => Err(error),
    }
}

async fn jobs_at(connection: &mut PgConnection, places: Vec<Ctid>) -> Result<BTreeMap<Ctid, JobId>, sqlx::Error> {
    let mut jobs = BTreeMap::new();
    let query = sqlx::query(include_str!("../../../sql/observe/row_of_tuple.sql")).bind(places);
    for row in query.fetch_all(connection).await? {
        if let Some(job) = job(row.try_get(1)?) {
            jobs.insert(row.try_get(0)?, job);
        }
    }
    Ok(jobs)
}

async fn row_locks_of(connection: &mut PgConnection) -> Result<Vec<RowLock>, sqlx::Error> {
    let mut locks = Vec::new();
    for row in sqlx::query(include_str!("../../../sql/observe/row_locks.sql")).fetch_all(connection).await? {
        let (pids, modes): (Vec<i32>, Vec<String>) = (row.try_get(0)?, row.try_get(1)?);
        let (xid, Some(job)) = (row.try_get::<String, _>(2)?, job(row.try_get(3)?)) else { continue };
        // Several lockers of one row have a mode each; a lone one may have locked it in several ways.
        for (n, pid) in pids.iter().enumerate() {
            let own = if pids.len() == 1 { modes.clone() } else { modes.get(n).cloned().into_iter().collect() };
            locks.push(RowLock { pid: *pid, modes: own, xid: xid.clone(), job });
        }
    }
    Ok(locks)
}

fn job(id: i64) -> Option<JobId> {
    u32::try_from(id).ok().filter(|id| *id <= HISTORY_BASE).map(JobId)
}

fn wait_row(row: &sqlx::postgres::PgRow) -> Result<WaitRow, sqlx::Error> {
    let place = |page: Option<i32>, tuple: Option<i32>| Some(format!("({},{})", page?, tuple?));
    let relation: Option<String> = row.try_get("relation_name")?;
    // By search_path an unqualified name is the run's own; a row of another run's table is none of ours.
    let of_jobs = relation.as_deref() == Some("jobs");
    let waited_for = place(row.try_get("page")?, row.try_get("tuple")?).filter(|_| of_jobs);
    let held = place(row.try_get("held_page")?, row.try_get("held_tuple")?);
    let locktype: String = row.try_get("locktype")?;
    let object: Option<i64> = row.try_get("object_id")?;
    Ok(WaitRow {
        pid: row.try_get("pid")?,
        mode: row.try_get("mode")?,
        relation,
        tuple: waited_for.or(held),
        xid: row.try_get("xid")?,
        began: row.try_get("wait_start_us")?,
        blockers: row.try_get("blockers")?,
        advisory_job: object.filter(|_| locktype == "advisory").and_then(job),
        locktype,
    })
}

/// The table in numbers; `None` before its first statistics, or while it is locked.
pub(super) async fn table(connection: &mut PgConnection) -> Result<Option<TableStats>, sqlx::Error> {
    let query = sqlx::query(include_str!("../../../sql/observe/table.sql"));
    let Some(row) = unless_locked(query.fetch_optional(connection).await)?.flatten() else { return Ok(None) };
    Ok(Some(TableStats {
        live: row.try_get(0)?,
        dead: row.try_get(1)?,
        updated: row.try_get(2)?,
        hot_updated: row.try_get(3)?,
        heap_bytes: row.try_get(4)?,
        index_bytes: row.try_get(5)?,
        vacuums: row.try_get(6)?,
    }))
}
