//! Who sees a tuple, and who may change it. PostgreSQL 15: heapam_visibility.c.

use super::tuple::{Tuple, Xmax};
use super::xact::{Snapshot, State, Xacts, Xid};

/// Whether a snapshot of the transaction `own` sees a tuple.
pub fn sees(tuple: &Tuple, snapshot: &Snapshot, own: Option<Xid>, xacts: &Xacts) -> bool {
    // Its maker must have committed before the snapshot, or be ourselves with an earlier command.
    if tuple.xmin >= snapshot.xmin || xacts.state(tuple.xmin) != State::Committed {
        match xacts.state(tuple.xmin) {
            State::Aborted => return false,
            _ if own == Some(xacts.top(tuple.xmin)) => {
                if tuple.cmin >= snapshot.command {
                    return false;
                }
            }
            State::Running => return false,
            State::Committed if snapshot.was_running(tuple.xmin, xacts) => return false,
            State::Committed => {}
        }
    }
    match tuple.xmax {
        Xmax::None => true,
        _ => match tuple.xmax.updater(xacts) {
            None => true,
            Some(xid) if own == Some(xacts.top(xid)) => tuple.cmax >= snapshot.command,
            Some(xid) => xacts.is_running(xid) || snapshot.was_running(xid, xacts),
        },
    }
}

/// What stands in the way of changing or locking a tuple (TM_Result).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Free,
    /// Not there for this command: made by a later command, or by another transaction in progress.
    Invisible,
    /// This very command changed it.
    SelfModified,
    /// Someone in progress holds it, perhaps ourselves.
    Held,
    /// Replaced by a committed version.
    Updated,
    /// Deleted, committed.
    Deleted,
}

/// What stands in the way of the transaction `own`, in its command `command` (HeapTupleSatisfiesUpdate).
pub fn standing(tuple: &Tuple, own: Option<Xid>, command: u32, xacts: &Xacts, deleted: bool) -> Standing {
    let own_maker = xacts.is_own(tuple.xmin, own);
    match xacts.state(tuple.xmin) {
        State::Aborted => return Standing::Invisible,
        State::Running if !own_maker => return Standing::Invisible,
        State::Running if tuple.cmin >= command => return Standing::Invisible,
        _ => {}
    }
    if matches!(tuple.xmax, Xmax::None) {
        return Standing::Free;
    }
    match tuple.xmax.updater(xacts) {
        Some(xid) if xacts.is_own(xid, own) => {
            if tuple.cmax >= command {
                Standing::SelfModified
            } else {
                Standing::Invisible
            }
        }
        Some(xid) if xacts.state(xid) == State::Committed && !tuple.xmax.is_running(xacts) => {
            if deleted {
                Standing::Deleted
            } else {
                Standing::Updated
            }
        }
        // Changed by someone who committed while others still hold a key share on the old version.
        Some(xid) if xacts.state(xid) == State::Committed => {
            if matches!(tuple.xmax, Xmax::Many(_)) {
                Standing::Held
            } else if deleted {
                Standing::Deleted
            } else {
                Standing::Updated
            }
        }
        _ if tuple.xmax.is_running(xacts) => Standing::Held,
        _ => Standing::Free,
    }
}

/// Whether nobody can ever see a tuple again, given the oldest transaction that any snapshot may still miss.
pub fn is_dead(tuple: &Tuple, horizon: Xid, xacts: &Xacts) -> bool {
    if xacts.state(tuple.xmin) == State::Aborted {
        return true;
    }
    match tuple.xmax.updater(xacts) {
        Some(xid) => xacts.state(xid) == State::Committed && xacts.top(xid).max(xid) < horizon,
        None => false,
    }
}
