//! The heap: pages of tuples.

use super::tuple::{Tid, Tuple};
use crate::value::{Datum, Row};

/// Bytes of a page that tuples and their line pointers can use.
const PAGE: u32 = 8192 - 24;
/// Bytes of a line pointer.
const POINTER: u32 = 4;
/// Bytes of a tuple's header, aligned.
const HEADER: u32 = 24;

/// A slot of a page.
#[derive(Debug, Clone)]
pub enum Slot {
    /// Can be used.
    Unused,
    /// Its tuple is gone, index entries may still point here.
    Dead,
    /// Its tuple is gone, its chain goes on at another slot of the page.
    Redirect(u16),
    /// A tuple.
    Tuple(Tuple),
}

/// A page.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Its slots.
    pub slots: Vec<Slot>,
    used: u32,
    /// A change may have left something to prune.
    pub prunable: bool,
}

impl Page {
    fn fits(&self, size: u32) -> bool {
        self.used + size + POINTER <= PAGE
    }

    fn put(&mut self, tuple: Tuple) -> u16 {
        self.used += u32::from(tuple.size);
        let free =
            if self.has_unused() { self.slots.iter().position(|slot| matches!(slot, Slot::Unused)) } else { None };
        match free {
            Some(slot) => {
                self.slots[slot] = Slot::Tuple(tuple);
                slot as u16
            }
            None => {
                self.used += POINTER;
                self.slots.push(Slot::Tuple(tuple));
                (self.slots.len() - 1) as u16
            }
        }
    }

    fn has_unused(&self) -> bool {
        self.prunable || self.slots.last().is_some_and(|slot| !matches!(slot, Slot::Tuple(_)))
    }

    /// Empties a slot.
    pub fn clear(&mut self, slot: u16, to: Slot) {
        if let Slot::Tuple(tuple) = &self.slots[slot as usize] {
            self.used -= u32::from(tuple.size);
        }
        self.slots[slot as usize] = to;
    }
}

/// A table's pages.
#[derive(Debug, Clone, Default)]
pub struct Heap {
    /// Pages in order.
    pub pages: Vec<Page>,
    /// Pages that vacuum found room on, lowest last.
    roomy: Vec<u32>,
}

impl Heap {
    /// A tuple, if there is one.
    pub fn get(&self, tid: Tid) -> Option<&Tuple> {
        match self.pages.get(tid.page as usize)?.slots.get(tid.slot as usize)? {
            Slot::Tuple(tuple) => Some(tuple),
            _ => None,
        }
    }

    /// See [`Heap::get`].
    pub fn get_mut(&mut self, tid: Tid) -> Option<&mut Tuple> {
        match self.pages.get_mut(tid.page as usize)?.slots.get_mut(tid.slot as usize)? {
            Slot::Tuple(tuple) => Some(tuple),
            _ => None,
        }
    }

    /// Puts a tuple on a page with room, its next version being itself.
    pub fn insert(&mut self, mut tuple: Tuple) -> Tid {
        let size = u32::from(tuple.size);
        let page = match self.pages.last() {
            Some(page) if page.fits(size) => self.pages.len() - 1,
            _ => loop {
                match self.roomy.last() {
                    Some(page) if self.pages[*page as usize].fits(size) => break *page as usize,
                    Some(_) => _ = self.roomy.pop(),
                    None => {
                        self.pages.push(Page::default());
                        break self.pages.len() - 1;
                    }
                }
            },
        };
        tuple.next = Tid { page: page as u32, slot: 0 };
        self.place(page as u32, tuple)
    }

    /// Puts a tuple on this very page, if it has room.
    pub fn insert_on(&mut self, page: u32, tuple: Tuple) -> Result<Tid, Box<Tuple>> {
        if self.pages[page as usize].fits(u32::from(tuple.size)) {
            Ok(self.place(page, tuple))
        } else {
            Err(Box::new(tuple))
        }
    }

    /// Whether a tuple of this size fits on a page.
    pub fn fits(&self, page: u32, size: u16) -> bool {
        self.pages[page as usize].fits(u32::from(size))
    }

    fn place(&mut self, page: u32, tuple: Tuple) -> Tid {
        let slot = self.pages[page as usize].put(tuple);
        let tid = Tid { page, slot };
        if let Some(tuple) = self.get_mut(tid) {
            tuple.next = tid;
        }
        tid
    }

    /// Notes that a page has room again.
    pub fn offer(&mut self, page: u32) {
        if !self.roomy.contains(&page) {
            self.roomy.push(page);
            self.roomy.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
}

/// A row's size on a page, in bytes: an estimate by type, aligned to 8.
pub fn size_of(row: &Row) -> u16 {
    let data: usize = row
        .iter()
        .map(|datum| match datum {
            Datum::Null => 0,
            Datum::Bool(_) => 1,
            Datum::Text(text) => text.len() + 1,
            Datum::Interval(_) => 16,
            Datum::Array(items) => 24 + 8 * items.len(),
            _ => 8,
        })
        .sum();
    (HEADER + (data as u32).min(2000)).next_multiple_of(8) as u16
}
