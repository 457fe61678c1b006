//! Inserting a row, and the index entries of any new version. Uniqueness as PostgreSQL 15's nbtinsert.c (_bt_check_unique)
//! sees it: an equal key of a transaction in progress is waited for, whatever the snapshot says.

use super::Engine;
use super::scan::{chain_next, chain_start};
use crate::catalog::{IndexDef, TableDef, TableId};
use crate::error::SqlError;
use crate::expr::{Stop, is_true, output_text};
use crate::locks::SessionId;
use crate::plan::RowEnv;
use crate::storage::heap::size_of;
use crate::storage::index::{HIGHEST, LOWEST};
use crate::storage::table::key_of;
use crate::storage::tuple::{Tid, Tuple, Xmax};
use crate::storage::xact::{State, Xid};
use crate::value::Row;
use std::ops::Bound;

/// What stands where an equal key is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equal {
    /// Nothing.
    None,
    /// Something that may yet come or go: its transaction has to end first.
    Undecided(Xid),
    /// A row.
    Row(Tid),
}

/// Index entries on their way.
#[derive(Debug, Clone)]
pub struct IndexInsert {
    tid: Tid,
    row: Option<Row>,
    at: usize,
}

impl IndexInsert {
    /// Entries of all indexes for a new version.
    pub fn new(tid: Tid, row: Row) -> IndexInsert {
        IndexInsert { tid, row: Some(row), at: 0 }
    }

    /// No entries: a heap-only version.
    pub fn nothing(tid: Tid) -> IndexInsert {
        IndexInsert { tid, row: None, at: 0 }
    }

    /// The version.
    pub fn tid(&self) -> Tid {
        self.tid
    }

    /// Goes as far as it can. Blocked: called again after the wake-up it goes on.
    pub fn drive(&mut self, engine: &mut Engine, me: SessionId, def: &TableDef, table: TableId) -> Result<(), Stop> {
        let Some(row) = &self.row else { return Ok(()) };
        while let Some(index) = def.indexes.get(self.at) {
            if covers(index, row)? {
                if index.unique {
                    match find_equal(engine, me, table, self.at, index, row, Some(self.tid)) {
                        Equal::None => {}
                        Equal::Undecided(xid) => {
                            engine.wait_for(me, xid)?;
                            continue;
                        }
                        Equal::Row(_) => return Err(duplicate(def, index, row).into()),
                    }
                }
                let key = key_of(index, row, self.tid);
                engine.table_mut(table).indexes[self.at].insert(key);
                engine.work.writes += 1;
                engine.work.descents += 1;
            }
            self.at += 1;
        }
        Ok(())
    }
}

/// Whether an index has an entry for a row.
pub fn covers(index: &IndexDef, row: &Row) -> Result<bool, Stop> {
    match &index.predicate {
        None => Ok(true),
        Some(predicate) => is_true(predicate, &mut RowEnv::new(row)),
    }
}

fn duplicate(def: &TableDef, index: &IndexDef, row: &Row) -> SqlError {
    let values: Vec<String> =
        index.columns.iter().map(|(column, _)| output_text(&row[*column], def.columns[*column].ty)).collect();
    SqlError::new(
        "23505",
        format!("duplicate key value violates unique constraint \"{}\" (key {})", index.name, values.join(", ")),
    )
    .by("_bt_check_unique")
}

/// Looks for a row with the same key that is there, or may be, whoever sees it. `except` is the version that asks.
pub fn find_equal(
    engine: &Engine,
    me: SessionId,
    table: TableId,
    number: usize,
    index: &IndexDef,
    row: &Row,
    except: Option<Tid>,
) -> Equal {
    if index.columns.iter().any(|(column, _)| row[*column].is_null()) {
        return Equal::None;
    }
    let data = engine.table(table);
    let (mut low, mut high) = (key_of(index, row, LOWEST), key_of(index, row, HIGHEST));
    (low.tid, high.tid) = (LOWEST, HIGHEST);
    for (key, dead) in data.indexes[number].range(Bound::Included(&low), Bound::Included(&high)) {
        if dead {
            continue;
        }
        let mut at = chain_start(&data.heap, key.tid);
        while let Some(tid) = at {
            let Some(tuple) = data.heap.get(tid) else { break };
            if Some(tid) != except {
                match stance(engine, me, tuple) {
                    Equal::None => {}
                    Equal::Row(_) => return Equal::Row(tid),
                    undecided => return undecided,
                }
            }
            at = chain_next(&data.heap, tuple, &engine.xacts);
        }
    }
    Equal::None
}

/// Whether a version is there for everyone's uniqueness (SnapshotDirty).
fn stance(engine: &Engine, me: SessionId, tuple: &Tuple) -> Equal {
    match engine.xacts.state(tuple.xmin) {
        State::Aborted => return Equal::None,
        State::Running if !engine.is_own(tuple.xmin, me) => return Equal::Undecided(tuple.xmin),
        _ => {}
    }
    match tuple.xmax.updater(&engine.xacts) {
        None => Equal::Row(LOWEST),
        Some(xid) if engine.is_own(xid, me) || engine.xacts.state(xid) == State::Committed => Equal::None,
        Some(xid) => Equal::Undecided(xid),
    }
}

/// Puts a new row into the heap; its index entries are still to be made.
pub fn put(engine: &mut Engine, me: SessionId, table: TableId, row: Row, command: u32) -> IndexInsert {
    let xid = engine.write_xid(me);
    engine.work.writes += 1;
    let tuple = Tuple {
        xmin: xid,
        cmin: command,
        cmax: 0,
        xmax: Xmax::None,
        next: LOWEST,
        heap_only: false,
        hot_updated: false,
        size: size_of(&row),
        row: row.clone(),
    };
    let data = engine.table_mut(table);
    let tid = data.heap.insert(tuple);
    engine.count(me, xid, table, 1, 0);
    IndexInsert::new(tid, row)
}
