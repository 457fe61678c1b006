//! What a client gets back.

use crate::engine::Work;
use crate::error::SqlError;
use crate::locks::{SessionId, Tag};
use crate::value::{Row, Type};
use std::rc::Rc;

/// What a statement returned.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The command tag, as psql prints it: `UPDATE 1`.
    pub tag: String,
    /// Columns; empty if it returns no rows.
    pub columns: Rc<[(String, Type)]>,
    /// Rows.
    pub rows: Vec<Row>,
    /// Rows returned or changed.
    pub affected: u64,
}

/// What a message came to.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// Of its statements, as far as they ran.
    pub outputs: Vec<Output>,
    /// What ended it early.
    pub error: Option<SqlError>,
    /// What the server did for it.
    pub work: Work,
}

/// How a message stands.
#[derive(Debug, Clone)]
pub enum Progress {
    /// It is over.
    Done(Reply),
    /// It waits; see [`Database::wait_of`].
    Blocked,
}

/// A wait in progress, as pg_locks and pg_blocking_pids tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// On what.
    pub tag: Tag,
    /// pg_locks.mode
    pub mode: &'static str,
    /// µs since 1970.
    pub since: i64,
    /// Whom it waits for.
    pub blockers: Vec<SessionId>,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.tuples += other.tuples;
        self.entries += other.entries;
        self.dead_entries += other.dead_entries;
        self.descents += other.descents;
        self.writes += other.writes;
        self.flushes += other.flushes;
    }
}
