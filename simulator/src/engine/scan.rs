//! Reading tables: which versions a snapshot sees, by the heap's order or by an index's.

use super::Engine;
use crate::catalog::TableId;
use crate::storage::heap::{Heap, Slot};
use crate::storage::index::{HIGHEST, Key, LOWEST};
use crate::storage::tuple::{Tid, Tuple};
use crate::storage::visibility::{is_dead, sees};
use crate::storage::xact::{Snapshot, Xacts, Xid};
use crate::value::Row;
use std::ops::Bound;

/// How many index entries are read at once; PostgreSQL reads those of a leaf page.
const BATCH: usize = 32;

/// Where a chain of heap-only versions begins that an index entry leads to.
pub fn chain_start(heap: &Heap, tid: Tid) -> Option<Tid> {
    match heap.pages.get(tid.page as usize)?.slots.get(tid.slot as usize)? {
        Slot::Tuple(_) => Some(tid),
        Slot::Redirect(slot) => Some(Tid { page: tid.page, slot: *slot }),
        Slot::Dead | Slot::Unused => None,
    }
}

/// The next heap-only version of a chain: made by the one that replaced this version, and not rolled back.
pub fn chain_next(heap: &Heap, tuple: &Tuple, xacts: &Xacts) -> Option<Tid> {
    let maker = if tuple.hot_updated { tuple.xmax.updater(xacts)? } else { return None };
    heap.get(tuple.next).filter(|next| next.xmin == maker).map(|_| tuple.next)
}

/// A scan in the heap's order.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeqScan {
    page: u32,
    slot: u16,
}

impl SeqScan {
    /// The next version that the snapshot sees.
    pub fn next(
        &mut self,
        engine: &mut Engine,
        table: TableId,
        snapshot: &Snapshot,
        own: Option<Xid>,
    ) -> Option<(Tid, Row)> {
        let Engine { tables, xacts, work, .. } = engine;
        let heap = &tables.get(&table)?.heap;
        while let Some(page) = heap.pages.get(self.page as usize) {
            while let Some(slot) = page.slots.get(self.slot as usize) {
                let tid = Tid { page: self.page, slot: self.slot };
                self.slot += 1;
                if let Slot::Tuple(tuple) = slot {
                    work.tuples += 1;
                    if sees(tuple, snapshot, own, xacts) {
                        return Some((tid, tuple.row.clone()));
                    }
                }
            }
            self.page += 1;
            self.slot = 0;
        }
        None
    }
}

/// A scan in an index's order.
#[derive(Debug, Clone, Default)]
pub struct IndexScan {
    low: Option<Key>,
    high: Option<Key>,
    /// The last entry read: the next batch begins after it.
    last: Option<Key>,
    batch: Vec<Key>,
    at: usize,
    ended: bool,
}

impl IndexScan {
    /// Begins a scan between two bounds, both included.
    pub fn begin(&mut self, low: Option<Key>, high: Option<Key>) {
        (self.low, self.high) = (low, high);
        self.last = None;
        self.batch.clear();
        self.at = 0;
        self.ended = false;
    }

    /// The next version that the snapshot sees.
    pub fn next(
        &mut self,
        engine: &mut Engine,
        table: TableId,
        number: usize,
        snapshot: &Snapshot,
        own: Option<Xid>,
    ) -> Option<(Tid, Row)> {
        loop {
            while self.at < self.batch.len() {
                let key = &self.batch[self.at];
                self.at += 1;
                let root = key.tid;
                engine.work.entries += 1;
                let heap = &engine.tables.get(&table)?.heap;
                let mut at = chain_start(heap, root);
                let mut found = None;
                let mut garbage = true;
                let mut horizon = None;
                while let Some(tid) = at {
                    let Some(tuple) = heap.get(tid) else { break };
                    engine.work.tuples += 1;
                    if sees(tuple, snapshot, own, &engine.xacts) {
                        found = Some((tid, tuple.row.clone()));
                        break;
                    }
                    if garbage {
                        let horizon = *horizon.get_or_insert_with(|| engine.horizon());
                        garbage = is_dead(tuple, horizon, &engine.xacts);
                    }
                    at = chain_next(heap, tuple, &engine.xacts);
                }
                if found.is_some() {
                    return found;
                }
                // Nobody can see what it leads to: later scans need not look.
                if garbage {
                    let key = self.batch[self.at - 1].clone();
                    engine.table_mut(table).indexes[number].mark_dead(&key);
                }
            }
            if self.ended {
                return None;
            }
            self.read(engine, table, number)?;
        }
    }

    fn read(&mut self, engine: &mut Engine, table: TableId, number: usize) -> Option<()> {
        self.batch.clear();
        self.at = 0;
        engine.work.descents += 1;
        let Engine { tables, work, .. } = engine;
        let index = tables.get(&table)?.indexes.get(number)?;
        let from = match (&self.last, &self.low) {
            (Some(last), _) => Bound::Excluded(last),
            (None, Some(low)) => Bound::Included(low),
            (None, None) => Bound::Unbounded,
        };
        let to = self.high.as_ref().map_or(Bound::Unbounded, Bound::Included);
        let mut last = None;
        let mut ended = true;
        for (key, dead) in index.range(from, to) {
            if dead {
                work.dead_entries += 1;
            } else {
                self.batch.push(key.clone());
            }
            if self.batch.len() == BATCH {
                last = Some(key.clone());
                ended = false;
                break;
            }
        }
        self.last = last;
        self.ended = ended;
        Some(())
    }
}

/// The bounds of a search for a prefix of values.
pub fn bounds(values: Key) -> (Key, Key) {
    (Key { tid: LOWEST, ..values.clone() }, Key { tid: HIGHEST, ..values })
}
