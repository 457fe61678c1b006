//! Updating and deleting a row: PostgreSQL 15, heapam.c (heap_update, heap_delete).
//!
//! Unlike a locking SELECT, an UPDATE or DELETE that waited leaves first place in the queue *before* it looks for the newest
//! version: the next in line may overtake it. Here the first come goes first, which PostgreSQL usually does too.

use super::Engine;
use super::insert::IndexInsert;
use super::rowlock::blocker;
use crate::bound::Strength;
use crate::catalog::{TableDef, TableId};
use crate::expr::{Stop, compare};
use crate::locks::SessionId;
use crate::storage::heap::size_of;
use crate::storage::tuple::{Claim, Tid, Tuple, Xmax, conflict};
use crate::storage::visibility::{Standing, standing};
use crate::storage::xact::State;
use crate::value::Row;
use std::cmp::Ordering;
use std::rc::Rc;

/// What a change needs to know of its table, worked out once a statement.
#[derive(Debug, Clone)]
pub struct Target {
    /// The table.
    pub table: TableId,
    /// Its definition.
    pub def: Rc<TableDef>,
    /// Columns of unique indexes that a foreign key may refer to.
    pub key_columns: Vec<usize>,
    /// Columns in any index or its predicate: a change of one makes new entries in all (no HOT).
    pub indexed_columns: Vec<usize>,
}

impl Target {
    /// Looks a table over.
    pub fn new(table: TableId, def: &Rc<TableDef>) -> Target {
        let mut key_columns = Vec::new();
        let mut indexed_columns = Vec::new();
        for index in &def.indexes {
            let columns = index.columns.iter().map(|(column, _)| *column);
            if index.unique && index.predicate.is_none() {
                key_columns.extend(columns.clone());
            }
            indexed_columns.extend(columns);
            if let Some(predicate) = &index.predicate {
                crate::plan::columns_of(predicate, &mut indexed_columns);
            }
        }
        for columns in [&mut key_columns, &mut indexed_columns] {
            columns.sort_unstable();
            columns.dedup();
        }
        Target { table, def: def.clone(), key_columns, indexed_columns }
    }

    fn differ(columns: &[usize], old: &Row, new: &Row) -> bool {
        columns.iter().any(|column| {
            let (old, new) = (&old[*column], &new[*column]);
            old.is_null() != new.is_null() || (!old.is_null() && compare(old, new) != Ordering::Equal)
        })
    }

    /// The lock that an UPDATE from one row to another takes.
    pub fn strength(&self, old: &Row, new: &Row) -> Strength {
        if Self::differ(&self.key_columns, old, new) { Strength::Update } else { Strength::NoKeyUpdate }
    }
}

/// How a change came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Done; the new version of an UPDATE.
    Done(Tid),
    /// This very command changed it before.
    SelfModified,
    /// Someone replaced it: the newest version has to be checked.
    Updated,
    /// It is gone.
    Deleted,
}

/// A change on its way.
#[derive(Debug, Clone)]
pub struct Change {
    tid: Tid,
    /// The new row; none is a DELETE.
    row: Option<Row>,
    strength: Strength,
    command: u32,
    place: Option<Tid>,
    queued: bool,
    indexing: Option<IndexInsert>,
}

impl Change {
    /// Wants to replace a tuple by a row, or to delete it.
    pub fn new(tid: Tid, row: Option<Row>, strength: Strength, command: u32) -> Change {
        Change { tid, row, strength, command, place: None, queued: false, indexing: None }
    }

    /// The new row.
    pub fn row(&self) -> Option<&Row> {
        self.row.as_ref()
    }

    /// Goes as far as it can. Blocked: called again after the wake-up it goes on.
    pub fn drive(&mut self, engine: &mut Engine, me: SessionId, target: &Target) -> Result<Changed, Stop> {
        if self.queued {
            self.take_place(engine, me, target)?;
        }
        while self.indexing.is_none() {
            match self.look(engine, me, target)? {
                None => {}
                Some(Standing::Free) => match self.apply(engine, me, target) {
                    Some(indexing) => self.indexing = Some(indexing),
                    None => return Ok(Changed::Done(self.tid)),
                },
                Some(other) => {
                    return Ok(match other {
                        Standing::Updated => Changed::Updated,
                        Standing::Deleted => Changed::Deleted,
                        _ => Changed::SelfModified,
                    });
                }
            }
        }
        let Some(indexing) = &mut self.indexing else { return Ok(Changed::Done(self.tid)) };
        indexing.drive(engine, me, &target.def, target.table)?;
        Ok(Changed::Done(indexing.tid()))
    }

    fn take_place(&mut self, engine: &mut Engine, me: SessionId, target: &Target) -> Result<(), Stop> {
        self.queued = true;
        engine.take_place(me, target.table, self.tid, self.strength)?;
        self.queued = false;
        self.place = Some(self.tid);
        Ok(())
    }

    /// What stands in the way; none: look again.
    fn look(&mut self, engine: &mut Engine, me: SessionId, target: &Target) -> Result<Option<Standing>, Stop> {
        let own = engine.own(me);
        let Some(tuple) = engine.tuple(target.table, self.tid) else { return Ok(Some(Standing::Deleted)) };
        let deleted = tuple.next == self.tid;
        let mut found = standing(tuple, own, self.command, &engine.xacts, deleted);
        if found == Standing::Held {
            let xmax = tuple.xmax.clone();
            let blocker = blocker(engine, me, &xmax, self.strength);
            let replaced = xmax.updater(&engine.xacts).is_some_and(|xid| {
                engine.xacts.state(xid) == State::Committed
                    && xmax.members().any(|(member, claim)| member == xid && conflict(claim.strength(), self.strength))
            });
            if blocker.is_some() || replaced {
                let member = matches!(xmax, Xmax::Many(_)) && xmax.members().any(|(xid, _)| engine.is_own(xid, me));
                if self.place.is_none() && !member {
                    self.take_place(engine, me, target)?;
                    return Ok(None);
                }
                if let Some(xid) = blocker {
                    engine.wait_for(me, xid)?;
                    return Ok(None);
                }
                found = if deleted { Standing::Deleted } else { Standing::Updated };
            } else {
                found = Standing::Free;
            }
        }
        if found != Standing::Free
            && let Some(place) = self.place.take()
        {
            engine.leave_place(me, target.table, place, self.strength);
        }
        Ok(Some(found))
    }

    /// Writes the change; returns the index entries that are still to be made.
    fn apply(&mut self, engine: &mut Engine, me: SessionId, target: &Target) -> Option<IndexInsert> {
        let xid = engine.write_xid(me);
        let horizon = engine.horizon();
        engine.work.writes += 1;
        let claim = if self.strength == Strength::Update { Claim::UpdateKey } else { Claim::UpdateNoKey };
        let Engine { tables, xacts, next_multi, .. } = engine;
        let table = tables.get_mut(&target.table)?;
        let old = table.heap.get_mut(self.tid)?;
        let inherited = match &old.xmax {
            Xmax::None => Xmax::None,
            xmax => xmax.inherited(xacts, next_multi),
        };
        old.xmax = old.xmax.with(xid, claim, xacts, next_multi);
        old.cmax = self.command;
        old.next = self.tid;
        old.hot_updated = false;
        let old_row = old.row.clone();
        table.heap.pages[self.tid.page as usize].prunable = true;
        if let Some(place) = self.place.take() {
            engine.leave_place(me, target.table, place, self.strength);
        }
        let Some(row) = &self.row else {
            engine.count(me, xid, target.table, 0, 1);
            return None;
        };
        let table = engine.tables.get_mut(&target.table)?;
        table.stats.updated += 1;
        table.stats.dead += 1;
        let size = size_of(row);
        let mut tuple = Tuple {
            xmin: xid,
            cmin: self.command,
            cmax: 0,
            xmax: inherited,
            next: self.tid,
            heap_only: !Target::differ(&target.indexed_columns, &old_row, row),
            hot_updated: false,
            size,
            row: row.clone(),
        };
        if !table.heap.fits(self.tid.page, size) {
            super::vacuum::prune(table, self.tid.page, horizon, &engine.xacts);
        }
        let hot = tuple.heap_only;
        let tid =
            match if hot { table.heap.insert_on(self.tid.page, tuple.clone()) } else { Err(Box::new(tuple.clone())) } {
                Ok(tid) => {
                    table.stats.hot_updated += 1;
                    tid
                }
                Err(_) => {
                    tuple.heap_only = false;
                    match table.heap.insert_on(self.tid.page, tuple) {
                        Ok(tid) => tid,
                        Err(tuple) => table.heap.insert(*tuple),
                    }
                }
            };
        let heap_only = table.heap.get(tid).is_some_and(|tuple| tuple.heap_only);
        if let Some(old) = table.heap.get_mut(self.tid) {
            old.next = tid;
            old.hot_updated = heap_only;
        }
        if heap_only { Some(IndexInsert::nothing(tid)) } else { Some(IndexInsert::new(tid, row.clone())) }
    }
}
