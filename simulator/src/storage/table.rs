//! A table: its heap, its indexes, and what the statistics collector would know.

use super::heap::Heap;
use super::index::{Index, Key, MAX_COLUMNS};
use super::tuple::Tid;
use crate::catalog::IndexDef;
use crate::value::{Datum, Row};

/// A table's storage and counters.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Its tuples.
    pub heap: Heap,
    /// Its indexes, in the order of its definition.
    pub indexes: Vec<Index>,
    /// The identity's next number.
    pub next_identity: i64,
    /// Counters, as pg_stat_user_tables has them.
    pub stats: Stats,
    /// Whether autovacuum may run, and when.
    pub autovacuum: Autovacuum,
}

/// Counters of pg_stat_user_tables, in rows; exact here, where PostgreSQL's lag and are estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Inserted.
    pub inserted: u64,
    /// Updated.
    pub updated: u64,
    /// Of these, with a heap-only tuple.
    pub hot_updated: u64,
    /// Deleted.
    pub deleted: u64,
    /// Rows that are there.
    pub live: i64,
    /// Versions that nobody, or only old snapshots, can see.
    pub dead: i64,
    /// Vacuums by command.
    pub vacuums: u64,
    /// Vacuums by themselves.
    pub autovacuums: u64,
}

/// Storage parameters of autovacuum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Autovacuum {
    /// autovacuum_enabled
    pub enabled: bool,
    /// autovacuum_vacuum_threshold, in rows.
    pub threshold: u64,
    /// autovacuum_vacuum_scale_factor, a share of the table.
    pub scale: f64,
}

impl Default for Autovacuum {
    fn default() -> Autovacuum {
        Autovacuum { enabled: true, threshold: 50, scale: 0.2 }
    }
}

/// The index key of a row at an address.
pub fn key_of(def: &IndexDef, row: &Row, tid: Tid) -> Key {
    let mut values = [const { Datum::Null }; MAX_COLUMNS];
    for (value, (column, _)) in values.iter_mut().zip(&def.columns) {
        *value = row[*column].clone();
    }
    Key { values, tid, width: def.columns.len() as u8, descending: descending(def) }
}

/// Which columns of an index are descending, as bits.
pub fn descending(def: &IndexDef) -> u8 {
    def.columns.iter().enumerate().map(|(n, (_, desc))| u8::from(*desc) << n).sum()
}
