//! Pruning and vacuum: PostgreSQL 15, pruneheap.c and vacuumlazy.c, as far as rows and index entries go.

use super::Engine;
use crate::catalog::TableId;
use crate::storage::heap::Slot;
use crate::storage::table::Table;
use crate::storage::visibility::is_dead;
use crate::storage::xact::{State, Xacts, Xid};

/// What a vacuum did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vacuumed {
    /// Versions removed.
    pub removed: u64,
    /// Versions that are dead but that some snapshot may still see.
    pub kept: u64,
    /// Index entries removed.
    pub entries: u64,
}

/// Removes from one page the versions that nobody can see. What index entries lead to stays as a mark.
pub fn prune(table: &mut Table, page: u32, horizon: Xid, xacts: &Xacts) -> u64 {
    let Some(data) = table.heap.pages.get_mut(page as usize) else { return 0 };
    if !data.prunable {
        return 0;
    }
    let mut removed = 0;
    let mut left = false;
    for slot in 0..data.slots.len() {
        // Only the beginnings of chains; a heap-only version that rolled back before it was linked is one of its own.
        let (start, root) = match &data.slots[slot] {
            Slot::Tuple(tuple) if !tuple.heap_only => (slot, true),
            Slot::Tuple(tuple) if xacts.state(tuple.xmin) == State::Aborted => (slot, false),
            Slot::Redirect(to) => (*to as usize, true),
            _ => continue,
        };
        let mut at = Some(start);
        let mut dead = Vec::new();
        while let Some(here) = at {
            let Slot::Tuple(tuple) = &data.slots[here] else { break };
            if !is_dead(tuple, horizon, xacts) {
                left |= tuple.xmax.updater(xacts).is_some();
                break;
            }
            dead.push(here);
            at = tuple.hot_updated.then_some(tuple.next.slot as usize);
        }
        if dead.is_empty() {
            continue;
        }
        removed += dead.len() as u64;
        for here in &dead {
            data.clear(*here as u16, Slot::Unused);
        }
        if root {
            data.clear(slot as u16, at.map_or(Slot::Dead, |next| Slot::Redirect(next as u16)));
        }
    }
    data.prunable = left;
    table.stats.dead -= removed as i64;
    removed
}

impl Engine {
    /// Vacuums a table: prunes every page, removes index entries that lead nowhere, and frees their places.
    pub fn vacuum(&mut self, id: TableId, auto: bool) -> Vacuumed {
        let horizon = self.horizon();
        let mut done = Vacuumed::default();
        let Some(table) = self.tables.get_mut(&id) else { return done };
        for page in 0..table.heap.pages.len() as u32 {
            done.removed += prune(table, page, horizon, &self.xacts);
        }
        let Table { heap, indexes, .. } = table;
        for index in indexes.iter_mut() {
            done.entries += index.retain(|key| {
                !matches!(heap.pages[key.tid.page as usize].slots[key.tid.slot as usize], Slot::Dead | Slot::Unused)
            }) as u64;
        }
        for page in 0..heap.pages.len() as u32 {
            let data = &mut heap.pages[page as usize];
            let mut room = false;
            for slot in 0..data.slots.len() {
                if matches!(data.slots[slot], Slot::Dead) {
                    data.clear(slot as u16, Slot::Unused);
                }
                room |= matches!(data.slots[slot], Slot::Unused);
            }
            if room {
                heap.offer(page);
            }
        }
        done.kept = table.stats.dead.max(0) as u64;
        if auto {
            table.stats.autovacuums += 1;
        } else {
            table.stats.vacuums += 1;
        }
        done
    }

    /// Tables whose dead versions are more than autovacuum lets pass.
    pub fn autovacuum_due(&self) -> Vec<TableId> {
        self.tables
            .iter()
            .filter(|(_, table)| {
                let limit = table.autovacuum.threshold as f64 + table.autovacuum.scale * table.stats.live.max(0) as f64;
                table.autovacuum.enabled && table.stats.dead as f64 > limit
            })
            .map(|(id, _)| *id)
            .collect()
    }
}
