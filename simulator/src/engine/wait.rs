//! Waiting: for a transaction's end, for a place in a row's queue; and what time does to those who wait.

use super::session::Waiting;
use super::{Engine, deadlock};
use crate::bound::{LockMode, Strength};
use crate::catalog::TableId;
use crate::error::SqlError;
use crate::expr::Stop;
use crate::locks::deadlock::{Verdict, check};
use crate::locks::manager::Span;
use crate::locks::{SessionId, Tag, tuple_mode};
use crate::storage::tuple::Tid;
use crate::storage::xact::Xid;

/// What became due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// The deadlock check of a wait.
    DeadlockCheck,
    /// lock_timeout
    LockTimeout,
    /// statement_timeout
    StatementTimeout,
    /// idle_in_transaction_session_timeout
    IdleTimeout,
    /// The end of a pg_sleep
    Sleep,
}

impl Engine {
    /// Notes that a session waits.
    pub fn begin_wait(&mut self, me: SessionId, tag: Tag, mode: LockMode) {
        let number = self
            .sessions
            .iter()
            .flatten()
            .filter_map(|session| session.waiting)
            .map(|waiting| waiting.number + 1)
            .max()
            .unwrap_or(0);
        let since = self.now;
        self.session_mut(me).waiting = Some(Waiting { tag, mode, since, number, checked: false });
    }

    /// Waits for a transaction, or a savepoint of it, to end (XactLockTableWait). A savepoint that was released is waited
    /// for as its transaction.
    pub fn wait_for(&mut self, me: SessionId, xid: Xid) -> Result<(), Stop> {
        if !self.xacts.is_running(xid) {
            return Ok(());
        }
        let top = self.xacts.top(xid);
        let Some(owner) = self.owner(xid) else { return Ok(()) };
        let live = xid == top || self.transaction(owner).savepoints.iter().any(|savepoint| savepoint.xid == Some(xid));
        let tag = Tag::Transaction(if live { xid } else { top });
        self.acquire(me, tag, LockMode::Share, Span::Transaction(0), Some(owner))
    }

    /// Takes first place in the queue for a row (heap_acquire_tuplock): waits for it.
    pub fn take_place(&mut self, me: SessionId, table: TableId, tid: Tid, strength: Strength) -> Result<(), Stop> {
        let span = Span::Transaction(self.session(me).depth());
        self.acquire(me, Tag::Tuple(table, tid), tuple_mode(strength), span, None)
    }

    /// The same without waiting; false if someone is there.
    pub fn try_place(&mut self, me: SessionId, table: TableId, tid: Tid, strength: Strength) -> bool {
        let span = Span::Transaction(self.session(me).depth());
        self.locks.try_acquire(me, Tag::Tuple(table, tid), tuple_mode(strength), span)
    }

    /// Gives the place up.
    pub fn leave_place(&mut self, me: SessionId, table: TableId, tid: Tid, strength: Strength) {
        self.locks.release(me, Tag::Tuple(table, tid), tuple_mode(strength), false);
    }

    /// Sessions whose wait was granted, in the order in which their waits began; each goes on with its statement.
    pub fn take_woken(&mut self) -> Vec<SessionId> {
        let mut woken: Vec<(i64, u64, SessionId)> = Vec::new();
        for id in self.locks.take_granted() {
            let Some(session) = self.sessions[id.0 as usize].as_mut() else { continue };
            if let Some(waiting) = session.waiting.take() {
                session.granted = Some((waiting.tag, waiting.mode));
                woken.push((waiting.since, waiting.number, id));
            }
        }
        woken.sort_unstable();
        woken.into_iter().map(|(_, _, id)| id).collect()
    }

    /// The next instant at which time itself changes something, and for whom.
    pub fn next_due(&self) -> Option<(i64, SessionId, Due)> {
        self.sessions
            .iter()
            .enumerate()
            .filter_map(|(n, session)| Some((SessionId(n as u32), session.as_ref()?)))
            .flat_map(|(id, session)| {
                let ms = |name: &str, default: u64| session.millis(name, default) as i64 * 1_000;
                let mut due: [Option<(i64, SessionId, Due)>; 4] = [None; 4];
                if let Some(waiting) = session.waiting {
                    if !waiting.checked {
                        due[0] = Some((waiting.since + ms("deadlock_timeout", 1_000), id, Due::DeadlockCheck));
                    }
                    let limit = ms("lock_timeout", 0);
                    if limit > 0 {
                        due[1] = Some((waiting.since + limit, id, Due::LockTimeout));
                    }
                }
                if let Some(until) = session.sleeping {
                    due[0] = Some((until, id, Due::Sleep));
                }
                match (session.statement_since, &session.transaction) {
                    (Some(since), _) if session.waiting.is_some() || session.sleeping.is_some() => {
                        let limit = ms("statement_timeout", 0);
                        if limit > 0 {
                            due[2] = Some((since + limit, id, Due::StatementTimeout));
                        }
                    }
                    (None, Some(transaction)) if transaction.block => {
                        let limit = ms("idle_in_transaction_session_timeout", 0);
                        if limit > 0 {
                            due[3] = Some((session.state_since + limit, id, Due::IdleTimeout));
                        }
                    }
                    _ => {}
                }
                due.into_iter().flatten()
            })
            .min_by_key(|(at, id, due)| {
                let number = self.session(*id).waiting.map_or(0, |waiting| waiting.number);
                (*at, *due as u8, number, id.0)
            })
    }

    /// Checks a waiting session for a deadlock, once; true if it is the victim. Queues may be put into another order.
    pub fn check_deadlock(&mut self, me: SessionId) -> bool {
        if let Some(waiting) = self.session_mut(me).waiting.as_mut() {
            waiting.checked = true;
        }
        let owner = |tag: Tag| match tag {
            Tag::Transaction(xid) => self.owner(xid),
            _ => None,
        };
        match check(&self.locks, me, &owner) {
            Verdict::Fine => false,
            Verdict::Deadlock(_) => true,
            Verdict::Reorder(orders) => {
                for (tag, order) in orders {
                    self.locks.reorder(tag, &order);
                }
                false
            }
        }
    }

    /// The error with which what became due ends a statement.
    pub fn due_error(due: Due) -> SqlError {
        match due {
            Due::DeadlockCheck | Due::Sleep => deadlock(),
            Due::LockTimeout => {
                SqlError::new("55P03", "canceling statement due to lock timeout").by("ProcessInterrupts")
            }
            Due::StatementTimeout => {
                SqlError::new("57014", "canceling statement due to statement timeout").by("ProcessInterrupts")
            }
            Due::IdleTimeout => SqlError::new("25P03", "terminating connection due to idle-in-transaction timeout")
                .by("ProcessInterrupts"),
        }
    }

    /// Whom a waiting session waits for: holders, then those before it in the queue (pg_blocking_pids).
    pub fn blockers(&self, me: SessionId) -> Vec<SessionId> {
        let Some((tag, mode)) = self.locks.waiting(me) else { return Vec::new() };
        if let Tag::Transaction(xid) = tag {
            return self.owner(xid).into_iter().collect();
        }
        let mut blockers: Vec<SessionId> = Vec::new();
        let holders = self
            .locks
            .holders(tag)
            .iter()
            .filter(|(_, held)| crate::locks::conflict(mode, *held))
            .map(|(session, _)| *session);
        let ahead = self
            .locks
            .queue(tag)
            .iter()
            .take_while(|waiter| waiter.session != me)
            .filter(|waiter| crate::locks::conflict(mode, waiter.mode))
            .map(|waiter| waiter.session);
        for session in holders.chain(ahead) {
            if session != me && !blockers.contains(&session) {
                blockers.push(session);
            }
        }
        blockers
    }
}
