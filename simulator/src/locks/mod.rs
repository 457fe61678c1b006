//! Heavyweight locks: on tables, on places in a row's queue, on the end of transactions, on advisory keys.
//!
//! They are what pg_locks shows. A row lock itself is not one of them: it is in the tuple's header
//! ([`crate::storage::tuple::Xmax`]); who finds it held waits here. PostgreSQL 15: storage/lmgr/README.

pub mod deadlock;
pub mod manager;

use crate::bound::{LockMode, Strength};
use crate::catalog::TableId;
use crate::storage::tuple::Tid;
use crate::storage::xact::Xid;

/// A session's number; its backend's pid is made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u32);

/// What a lock is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// A table.
    Relation(TableId),
    /// First place in the queue for a row.
    Tuple(TableId, Tid),
    /// A transaction, held by itself until it ends.
    Transaction(Xid),
    /// An advisory key: one bigint, or two ints.
    Advisory(Key),
}

/// An advisory key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// One bigint.
    One(i64),
    /// Two ints.
    Two(i32, i32),
}

impl Tag {
    /// pg_locks.locktype.
    pub fn locktype(self) -> &'static str {
        match self {
            Tag::Relation(_) => "relation",
            Tag::Tuple(..) => "tuple",
            Tag::Transaction(_) => "transactionid",
            Tag::Advisory(_) => "advisory",
        }
    }
}

/// The mode of the tuple lock that stands for a row lock's place in the queue (heapam.c, tupleLockExtraInfo).
pub fn tuple_mode(strength: Strength) -> LockMode {
    match strength {
        Strength::KeyShare => LockMode::AccessShare,
        Strength::Share => LockMode::RowShare,
        Strength::NoKeyUpdate => LockMode::Exclusive,
        Strength::Update => LockMode::AccessExclusive,
    }
}

/// Whether two modes conflict. Manual 15, table 13.2.
pub fn conflict(a: LockMode, b: LockMode) -> bool {
    CONFLICTS[a as usize] & (1 << b as u8) != 0
}

const CONFLICTS: [u8; 8] = {
    use LockMode::*;
    const fn set(modes: &[LockMode]) -> u8 {
        let (mut bits, mut n) = (0, 0);
        while n < modes.len() {
            bits |= 1 << modes[n] as u8;
            n += 1;
        }
        bits
    }
    [
        set(&[AccessExclusive]),
        set(&[Exclusive, AccessExclusive]),
        set(&[Share, ShareRowExclusive, Exclusive, AccessExclusive]),
        set(&[ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive, AccessExclusive]),
        set(&[RowExclusive, ShareUpdateExclusive, ShareRowExclusive, Exclusive, AccessExclusive]),
        set(&[RowExclusive, ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive, AccessExclusive]),
        set(&[RowShare, RowExclusive, ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive, AccessExclusive]),
        set(&[
            AccessShare,
            RowShare,
            RowExclusive,
            ShareUpdateExclusive,
            Share,
            ShareRowExclusive,
            Exclusive,
            AccessExclusive,
        ]),
    ]
};

/// pg_locks.mode.
pub fn mode_name(mode: LockMode) -> &'static str {
    match mode {
        LockMode::AccessShare => "AccessShareLock",
        LockMode::RowShare => "RowShareLock",
        LockMode::RowExclusive => "RowExclusiveLock",
        LockMode::ShareUpdateExclusive => "ShareUpdateExclusiveLock",
        LockMode::Share => "ShareLock",
        LockMode::ShareRowExclusive => "ShareRowExclusiveLock",
        LockMode::Exclusive => "ExclusiveLock",
        LockMode::AccessExclusive => "AccessExclusiveLock",
    }
}
