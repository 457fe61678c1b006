//! A tuple: one version of a row, with what PostgreSQL keeps in its header.

use super::xact::{State, Xacts, Xid};
use crate::bound::Strength;
use crate::value::Row;
use std::rc::Rc;

/// A tuple's address: page and slot, both from 0 here (PostgreSQL shows slots from 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tid {
    /// Page.
    pub page: u32,
    /// Slot on the page.
    pub slot: u16,
}

/// What a transaction in a tuple's xmax does to it. In the order of PostgreSQL's MultiXactStatus: the locks by strength,
/// then the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// A row lock.
    Lock(Strength),
    /// An UPDATE that leaves the key columns alone.
    UpdateNoKey,
    /// An UPDATE of a key column, or a DELETE.
    UpdateKey,
}

impl Claim {
    /// Whether it changes the row, and does not only lock it.
    pub fn is_update(self) -> bool {
        !matches!(self, Claim::Lock(_))
    }

    /// The row lock that it amounts to.
    pub fn strength(self) -> Strength {
        match self {
            Claim::Lock(strength) => strength,
            Claim::UpdateNoKey => Strength::NoKeyUpdate,
            Claim::UpdateKey => Strength::Update,
        }
    }
}

/// Whether two row locks conflict. Manual 15, table 13.3.
pub fn conflict(a: Strength, b: Strength) -> bool {
    use Strength::*;
    match a {
        KeyShare => b == Update,
        Share => b >= NoKeyUpdate,
        NoKeyUpdate => b >= Share,
        Update => true,
    }
}

/// Several transactions in one xmax (a MultiXact).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multi {
    /// Its number.
    pub id: u32,
    /// Who, and what they do; at most one of them changes the row.
    pub members: Vec<(Xid, Claim)>,
}

/// The xmax of a tuple.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Xmax {
    /// Nobody, ever or any more.
    #[default]
    None,
    /// One transaction.
    One(Xid, Claim),
    /// Several.
    Many(Rc<Multi>),
}

impl Xmax {
    /// All transactions in it.
    pub fn members(&self) -> impl Iterator<Item = (Xid, Claim)> + '_ {
        let (one, many): (_, &[_]) = match self {
            Xmax::None => (None, &[]),
            Xmax::One(xid, claim) => (Some((*xid, *claim)), &[]),
            Xmax::Many(multi) => (None, &multi.members),
        };
        one.into_iter().chain(many.iter().copied())
    }

    /// The one that changes the row, if it did not roll back.
    pub fn updater(&self, xacts: &Xacts) -> Option<Xid> {
        self.members().find(|(xid, claim)| claim.is_update() && xacts.state(*xid) != State::Aborted).map(|(xid, _)| xid)
    }

    /// Whether it only locks, or its change rolled back.
    pub fn is_lock_only(&self, xacts: &Xacts) -> bool {
        self.updater(xacts).is_none()
    }

    /// Whether anyone in it is in progress.
    pub fn is_running(&self, xacts: &Xacts) -> bool {
        self.members().any(|(xid, _)| xacts.is_running(xid))
    }

    /// Adds a claim of `xid` to those that still count: in progress, or a change that committed.
    pub fn with(&self, xid: Xid, claim: Claim, xacts: &Xacts, next_multi: &mut u32) -> Xmax {
        let counts = |member: &(Xid, Claim)| match xacts.state(member.0) {
            State::Running => true,
            State::Committed => member.1.is_update(),
            State::Aborted => false,
        };
        let mut members: Vec<(Xid, Claim)> = Vec::new();
        match self {
            Xmax::None => return Xmax::One(xid, claim),
            // The usual case, without an allocation: no one else is left.
            Xmax::One(other, _)
                if *other != xid
                    && !counts(&(*other, Claim::Lock(Strength::KeyShare)))
                    && !self.members().any(|m| counts(&m)) =>
            {
                return Xmax::One(xid, claim);
            }
            Xmax::One(other, old) if *other == xid => return Xmax::One(xid, stronger(*old, claim)),
            _ => members.extend(self.members().filter(counts)),
        }
        match members.iter_mut().find(|(member, _)| *member == xid) {
            Some((_, old)) => *old = stronger(*old, claim),
            None => members.push((xid, claim)),
        }
        if let [(only, claim)] = members[..] {
            return Xmax::One(only, claim);
        }
        *next_multi += 1;
        Xmax::Many(Rc::new(Multi { id: *next_multi, members }))
    }

    /// The row locks in it that a new version of the row inherits: of those in progress, changes left out.
    pub fn inherited(&self, xacts: &Xacts, next_multi: &mut u32) -> Xmax {
        let members: Vec<_> =
            self.members().filter(|(xid, claim)| !claim.is_update() && xacts.is_running(*xid)).collect();
        match members[..] {
            [] => Xmax::None,
            [(xid, claim)] => Xmax::One(xid, claim),
            _ => {
                *next_multi += 1;
                Xmax::Many(Rc::new(Multi { id: *next_multi, members }))
            }
        }
    }
}

/// The claim of one transaction that had `old` and now wants `new`: a change keeps the strength of the lock before it.
fn stronger(old: Claim, new: Claim) -> Claim {
    let strength = old.strength().max(new.strength());
    if !old.is_update() && !new.is_update() {
        Claim::Lock(strength)
    } else if strength == Strength::Update {
        Claim::UpdateKey
    } else {
        Claim::UpdateNoKey
    }
}

/// One version of a row.
#[derive(Debug, Clone)]
pub struct Tuple {
    /// Who made it.
    pub xmin: Xid,
    /// With which command of theirs.
    pub cmin: u32,
    /// With which command the one in xmax changed it.
    pub cmax: u32,
    /// Who replaced, deleted or locked it.
    pub xmax: Xmax,
    /// The next version; itself if there is none.
    pub next: Tid,
    /// No index entry leads here but those of the first version of its chain (HOT).
    pub heap_only: bool,
    /// The next version is heap-only.
    pub hot_updated: bool,
    /// Its size on the page, in bytes.
    pub size: u16,
    /// Its values.
    pub row: Row,
}
