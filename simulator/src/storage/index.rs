//! B-tree indexes: entries that outlive the versions they point to until vacuum removes them.

use super::tuple::Tid;
use crate::expr::compare;
use crate::value::Datum;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

/// Most columns an index may have here.
pub const MAX_COLUMNS: usize = 4;

/// An entry's place: the values, then the tuple's address, as PostgreSQL orders them since 12.
#[derive(Debug, Clone)]
pub struct Key {
    /// The values; unused ones are NULL.
    pub values: [Datum; MAX_COLUMNS],
    /// The first version of the chain that it leads to.
    pub tid: Tid,
    /// How many of the values count; fewer than the index has columns in a bound of a search.
    pub width: u8,
    /// Bit n: column n is descending.
    pub descending: u8,
}

/// The address below and above all others, for the bounds of a search.
pub const LOWEST: Tid = Tid { page: 0, slot: 0 };
/// See [`LOWEST`].
pub const HIGHEST: Tid = Tid { page: u32::MAX, slot: u16::MAX };

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        let width = self.width.min(other.width) as usize;
        for column in 0..width {
            let order = match (&self.values[column], &other.values[column]) {
                // The two that queues are full of, before the general case.
                (Datum::Int(a), Datum::Int(b)) | (Datum::Time(a), Datum::Time(b)) => a.cmp(b),
                // NULLs sort last, or first if descending.
                (Datum::Null, Datum::Null) => Ordering::Equal,
                (Datum::Null, _) => Ordering::Greater,
                (_, Datum::Null) => Ordering::Less,
                (a, b) => compare(a, b),
            };
            let order = if self.descending & (1 << column) != 0 { order.reverse() } else { order };
            if order != Ordering::Equal {
                return order;
            }
        }
        self.tid.cmp(&other.tid)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

/// An index's entries.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// Whether an entry is marked dead: a scan found that nobody can see its tuple any more, and later scans pass it by.
    entries: BTreeMap<Key, bool>,
    /// The most entries it ever had: pages are not given back.
    pub high_water: usize,
}

impl Index {
    /// Adds an entry.
    pub fn insert(&mut self, key: Key) {
        self.entries.insert(key, false);
        self.high_water = self.high_water.max(self.entries.len());
    }

    /// Removes an entry, as vacuum does.
    pub fn remove(&mut self, key: &Key) {
        self.entries.remove(key);
    }

    /// Marks an entry dead.
    pub fn mark_dead(&mut self, key: &Key) {
        if let Some(dead) = self.entries.get_mut(key) {
            *dead = true;
        }
    }

    /// The entries from `from` on, in order, up to `to`; whether each is marked dead.
    pub fn range(&self, from: Bound<&Key>, to: Bound<&Key>) -> impl DoubleEndedIterator<Item = (&Key, bool)> {
        self.entries.range::<Key, _>((from, to)).map(|(key, dead)| (key, *dead))
    }

    /// Keeps the entries for which `keep` says so.
    pub fn retain(&mut self, mut keep: impl FnMut(&Key) -> bool) -> usize {
        let before = self.entries.len();
        self.entries.retain(|key, _| keep(key));
        before - self.entries.len()
    }

    /// How many entries there are, dead ones too.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many are marked dead.
    pub fn marked_dead(&self) -> usize {
        self.entries.values().filter(|dead| **dead).count()
    }
}
