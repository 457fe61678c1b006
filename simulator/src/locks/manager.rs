//! Who holds which lock, and who waits in which order. PostgreSQL 15: lock.c, proc.c (ProcSleep, ProcLockWakeup).

use super::{SessionId, Tag, conflict};
use crate::bound::LockMode;
use std::collections::BTreeMap;

/// A lock that a session holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// On what.
    pub tag: Tag,
    /// How.
    pub mode: LockMode,
    /// How often it was taken for the transaction, and in how deep a savepoint at first.
    pub for_transaction: u32,
    /// See [`Held::for_transaction`].
    pub depth: u32,
    /// How often it was taken for the session (advisory locks).
    pub for_session: u32,
}

/// Someone in a lock's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiter {
    /// Who.
    pub session: SessionId,
    /// What they want.
    pub mode: LockMode,
}

/// A lock that somebody holds strongly or waits for.
#[derive(Debug, Clone, Default)]
struct Lock {
    holders: Vec<(SessionId, LockMode)>,
    queue: Vec<Waiter>,
}

/// How long a lock is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// To the end of the transaction, or of the savepoint of this depth.
    Transaction(u32),
    /// To the end of the session, or until unlocked.
    Session,
}

/// What came of asking for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acquired {
    /// It is held.
    Granted,
    /// One stands in the queue for it.
    Queued,
    /// It would wait for someone who waits for what this session holds of the same lock.
    Deadlock,
}

/// All heavyweight locks.
#[derive(Debug, Clone, Default)]
pub struct Manager {
    locks: BTreeMap<Tag, Lock>,
    held: BTreeMap<SessionId, Vec<Held>>,
    waiting: BTreeMap<SessionId, (Tag, LockMode)>,
    /// Sessions whose wait was granted and who have not gone on yet, in the order of the grants.
    granted: Vec<SessionId>,
}

impl Manager {
    /// Asks for a lock. `owner` is whom a transaction's own lock belongs to, which is not kept here.
    pub fn acquire(
        &mut self,
        session: SessionId,
        tag: Tag,
        mode: LockMode,
        span: Span,
        owner: Option<SessionId>,
    ) -> Acquired {
        if self.take_again(session, tag, mode, span) {
            return Acquired::Granted;
        }
        let mine: Vec<LockMode> = self.modes_held(session, tag);
        let lock = self.locks.entry(tag).or_default();
        let held = owner.is_some_and(|owner| owner != session)
            || lock.holders.iter().any(|(other, theirs)| *other != session && conflict(mode, *theirs));
        // Behind those who wait already, unless they wait for what this session holds: then before the first such one.
        let mut place = lock.queue.len();
        let mut ahead_conflicts = false;
        for (n, waiter) in lock.queue.iter().enumerate() {
            if mine.iter().any(|own| conflict(waiter.mode, *own)) {
                // They wait for us; if we must wait for them too, that is a deadlock at once.
                if conflict(mode, waiter.mode)
                    && lock.holders.iter().any(|(other, theirs)| *other == waiter.session && conflict(mode, *theirs))
                {
                    return Acquired::Deadlock;
                }
                place = n;
                break;
            }
            ahead_conflicts |= conflict(mode, waiter.mode);
        }
        if !held && !ahead_conflicts && (owner.is_none() || owner == Some(session)) {
            if owner.is_none() {
                self.grant(session, tag, mode, span);
            }
            return Acquired::Granted;
        }
        lock.queue.insert(place, Waiter { session, mode });
        self.waiting.insert(session, (tag, mode));
        Acquired::Queued
    }

    /// Whether a lock could be had without waiting; takes it then.
    pub fn try_acquire(&mut self, session: SessionId, tag: Tag, mode: LockMode, span: Span) -> bool {
        if self.take_again(session, tag, mode, span) {
            return true;
        }
        let free = self.locks.get(&tag).is_none_or(|lock| {
            !lock.holders.iter().any(|(other, theirs)| *other != session && conflict(mode, *theirs))
                && !lock.queue.iter().any(|waiter| conflict(mode, waiter.mode))
        });
        if free {
            self.grant(session, tag, mode, span);
        }
        free
    }

    fn modes_held(&self, session: SessionId, tag: Tag) -> Vec<LockMode> {
        self.held.get(&session).into_iter().flatten().filter(|held| held.tag == tag).map(|held| held.mode).collect()
    }

    /// Counts a lock that the session has already once more.
    fn take_again(&mut self, session: SessionId, tag: Tag, mode: LockMode, span: Span) -> bool {
        let Some(held) = self
            .held
            .get_mut(&session)
            .and_then(|all| all.iter_mut().find(|held| held.tag == tag && held.mode == mode))
        else {
            return false;
        };
        match span {
            Span::Transaction(depth) => {
                held.depth = if held.for_transaction == 0 { depth } else { held.depth.min(depth) };
                held.for_transaction += 1;
            }
            Span::Session => held.for_session += 1,
        }
        true
    }

    fn grant(&mut self, session: SessionId, tag: Tag, mode: LockMode, span: Span) {
        self.locks.entry(tag).or_default().holders.push((session, mode));
        let (for_transaction, depth, for_session) = match span {
            Span::Transaction(depth) => (1, depth, 0),
            Span::Session => (0, 0, 1),
        };
        self.held.entry(session).or_default().push(Held { tag, mode, for_transaction, depth, for_session });
    }

    /// Notes how long a lock is kept that was granted out of the queue.
    pub fn keep(&mut self, session: SessionId, tag: Tag, mode: LockMode, span: Span) {
        if let Some(held) =
            self.held.get_mut(&session).and_then(|all| all.iter_mut().find(|held| held.tag == tag && held.mode == mode))
            && let Span::Transaction(depth) = span
        {
            held.depth = depth;
        } else if let Some(held) =
            self.held.get_mut(&session).and_then(|all| all.iter_mut().find(|held| held.tag == tag && held.mode == mode))
        {
            held.for_transaction -= 1;
            held.for_session += 1;
        }
    }

    /// Gives one count of a lock back; false if it is not held so.
    pub fn release(&mut self, session: SessionId, tag: Tag, mode: LockMode, for_session: bool) -> bool {
        let Some(all) = self.held.get_mut(&session) else { return false };
        let Some(at) = all.iter().position(|held| held.tag == tag && held.mode == mode) else { return false };
        let count = if for_session { &mut all[at].for_session } else { &mut all[at].for_transaction };
        if *count == 0 {
            return false;
        }
        *count -= 1;
        if all[at].for_session == 0 && all[at].for_transaction == 0 {
            all.swap_remove(at);
            self.drop_holder(session, tag, mode);
        }
        true
    }

    /// Gives back what a transaction holds that was taken at this depth of savepoints or deeper; 0 is all of it.
    pub fn release_from(&mut self, session: SessionId, depth: u32) {
        let Some(all) = self.held.get_mut(&session) else { return };
        let mut gone = Vec::new();
        all.retain_mut(|held| {
            if held.for_transaction > 0 && held.depth >= depth {
                held.for_transaction = 0;
            }
            let keep = held.for_transaction > 0 || held.for_session > 0;
            if !keep {
                gone.push((held.tag, held.mode));
            }
            keep
        });
        for (tag, mode) in gone {
            self.drop_holder(session, tag, mode);
        }
    }

    /// The locks of a released savepoint belong to what it was in.
    pub fn hand_up(&mut self, session: SessionId, depth: u32) {
        for held in self.held.get_mut(&session).into_iter().flatten() {
            held.depth = held.depth.min(depth.saturating_sub(1));
        }
    }

    /// Gives back all session-long locks on advisory keys.
    pub fn release_session(&mut self, session: SessionId) {
        let mut gone = Vec::new();
        for held in self.held.get_mut(&session).into_iter().flatten() {
            held.for_session = 0;
            if held.for_transaction == 0 {
                gone.push((held.tag, held.mode));
            }
        }
        if let Some(all) = self.held.get_mut(&session) {
            all.retain(|held| held.for_transaction > 0);
        }
        for (tag, mode) in gone {
            self.drop_holder(session, tag, mode);
        }
    }

    fn drop_holder(&mut self, session: SessionId, tag: Tag, mode: LockMode) {
        if let Some(lock) = self.locks.get_mut(&tag) {
            if let Some(at) = lock.holders.iter().position(|holder| *holder == (session, mode)) {
                lock.holders.remove(at);
            }
            self.wake(tag);
        }
    }

    /// Grants, in order, to those who no longer have to wait: for no holder and for nobody who still waits before them.
    fn wake(&mut self, tag: Tag) {
        let Some(lock) = self.locks.get_mut(&tag) else { return };
        if matches!(tag, Tag::Transaction(_)) {
            // Its holder is the transaction itself: only its end wakes anyone.
            if lock.queue.is_empty() {
                self.locks.remove(&tag);
            }
            return;
        }
        let mut still: Vec<Waiter> = Vec::new();
        let mut lucky = Vec::new();
        for waiter in std::mem::take(&mut lock.queue) {
            let blocked =
                lock.holders.iter().any(|(other, theirs)| *other != waiter.session && conflict(waiter.mode, *theirs))
                    || still.iter().any(|before| conflict(waiter.mode, before.mode));
            if blocked {
                still.push(waiter);
            } else {
                lock.holders.push((waiter.session, waiter.mode));
                lucky.push(waiter);
            }
        }
        lock.queue = still;
        if lock.holders.is_empty() && lock.queue.is_empty() {
            self.locks.remove(&tag);
        }
        for Waiter { session, mode } in lucky {
            self.held.entry(session).or_default().push(Held {
                tag,
                mode,
                for_transaction: 1,
                depth: 0,
                for_session: 0,
            });
            self.waiting.remove(&session);
            self.granted.push(session);
        }
    }

    /// A transaction, or a savepoint of it, ended: everyone who waited for that goes on.
    pub fn transaction_ended(&mut self, xid: crate::storage::xact::Xid) {
        if let Some(lock) = self.locks.remove(&Tag::Transaction(xid)) {
            for waiter in lock.queue {
                self.waiting.remove(&waiter.session);
                self.granted.push(waiter.session);
            }
        }
    }

    /// Takes a session out of the queue that it stands in.
    pub fn cancel_wait(&mut self, session: SessionId) {
        self.granted.retain(|other| *other != session);
        if let Some((tag, _)) = self.waiting.remove(&session) {
            if let Some(lock) = self.locks.get_mut(&tag) {
                lock.queue.retain(|waiter| waiter.session != session);
            }
            self.wake(tag);
        }
    }

    /// Sessions whose wait was granted since the last call, in order.
    pub fn take_granted(&mut self) -> Vec<SessionId> {
        std::mem::take(&mut self.granted)
    }

    /// What a session waits for.
    pub fn waiting(&self, session: SessionId) -> Option<(Tag, LockMode)> {
        self.waiting.get(&session).copied()
    }

    /// What it holds.
    pub fn held(&self, session: SessionId) -> &[Held] {
        self.held.get(&session).map_or(&[], Vec::as_slice)
    }

    /// Holders of a lock.
    pub fn holders(&self, tag: Tag) -> &[(SessionId, LockMode)] {
        self.locks.get(&tag).map_or(&[], |lock| &lock.holders)
    }

    /// The queue for a lock.
    pub fn queue(&self, tag: Tag) -> &[Waiter] {
        self.locks.get(&tag).map_or(&[], |lock| &lock.queue)
    }

    /// Puts a queue into another order, and grants what that order allows.
    pub fn reorder(&mut self, tag: Tag, order: &[SessionId]) {
        if let Some(lock) = self.locks.get_mut(&tag) {
            lock.queue.sort_by_key(|waiter| order.iter().position(|session| *session == waiter.session));
        }
        self.wake(tag);
    }

    /// Whether anything is locked or waited for that this session's end would not free.
    pub fn is_idle(&self) -> bool {
        self.locks.is_empty()
    }
}
