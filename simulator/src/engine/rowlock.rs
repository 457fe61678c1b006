//! Locking a row: PostgreSQL 15, heapam.c (heap_lock_tuple, heap_lock_updated_tuple) and heapam_handler.c
//! (heapam_tuple_lock), with README.tuplock beside them.
//!
//! The rules, in short. A row is locked in its tuple's xmax. Who finds it held first takes *first place* in the row's queue
//! (the heavyweight tuple lock), waiting there for those who came before, and only then waits for the holder's
//! transaction. When the holder is gone one looks again. If the holder replaced the row, its newest version is locked
//! instead and the statement has to check once more whether it still wants it.

use super::{Engine, not_available};
use crate::bound::{Strength, WaitPolicy};
use crate::catalog::TableId;
use crate::expr::Stop;
use crate::locks::SessionId;
use crate::storage::tuple::{Claim, Tid, Xmax, conflict};
use crate::storage::visibility::{Standing, standing};
use crate::storage::xact::{State, Xid};

/// How a row lock came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is held; on a newer version than was asked for if `moved`.
    Locked {
        /// The version that is locked.
        tid: Tid,
        /// It is not the one that was asked for.
        moved: bool,
    },
    /// SKIP LOCKED, and it was locked.
    WouldBlock,
    /// This very command changed it.
    SelfModified,
    /// Someone replaced it (only when newer versions are not looked for).
    Updated,
    /// It is gone.
    Deleted,
}

/// Where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Look at the tuple.
    Look,
    /// Lock the newer versions of a row that someone changed, from this one on, then look again or give up with Updated.
    Follow { tid: Tid, maker: Xid },
    /// Go from a replaced version to the newest one.
    Advance { tid: Tid, maker: Xid },
}

/// A row lock on its way.
#[derive(Debug, Clone)]
pub struct RowLock {
    table: TableId,
    tid: Tid,
    strength: Strength,
    policy: WaitPolicy,
    /// READ COMMITTED: follow a row to its newest version.
    newest: bool,
    command: u32,
    phase: Phase,
    first: bool,
    without_place: bool,
    place: Option<Tid>,
    /// One stands in the queue for first place.
    queued: bool,
    waited_for_change: bool,
    followed: bool,
    moved: bool,
}

impl RowLock {
    /// Wants a lock on a tuple, for a statement of this command number.
    pub fn new(
        table: TableId,
        tid: Tid,
        strength: Strength,
        policy: WaitPolicy,
        newest: bool,
        command: u32,
    ) -> RowLock {
        RowLock {
            table,
            tid,
            strength,
            policy,
            newest,
            command,
            phase: Phase::Look,
            first: true,
            without_place: false,
            place: None,
            queued: false,
            waited_for_change: false,
            followed: false,
            moved: false,
        }
    }

    /// Goes as far as it can. Blocked: called again after the wake-up it goes on.
    pub fn drive(&mut self, engine: &mut Engine, me: SessionId) -> Result<Outcome, Stop> {
        if self.queued {
            self.take_place(engine, me)?;
        }
        loop {
            let outcome = match self.phase {
                Phase::Look => self.look(engine, me)?,
                Phase::Follow { tid, maker } => self.follow(engine, me, tid, maker)?,
                Phase::Advance { tid, maker } => self.advance(engine, me, tid, maker)?,
            };
            let Some(outcome) = outcome else { continue };
            if let Some(place) = self.place.take() {
                engine.leave_place(me, self.table, place, self.strength);
            }
            if outcome == Outcome::Updated && self.newest {
                let Some((next, maker)) = successor(engine, self.table, self.tid) else { return Ok(Outcome::Deleted) };
                self.phase = Phase::Advance { tid: next, maker };
                continue;
            }
            return Ok(outcome);
        }
    }

    fn look(&mut self, engine: &mut Engine, me: SessionId) -> Result<Option<Outcome>, Stop> {
        let own = engine.own(me);
        let Some(tuple) = engine.tuple(self.table, self.tid) else { return Ok(Some(Outcome::Deleted)) };
        let deleted = tuple.next == self.tid;
        let standing = standing(tuple, own, self.command, &engine.xacts, deleted);
        match standing {
            // Made by a later command of ours; an earlier change of ours cannot be met by a snapshot.
            Standing::Invisible | Standing::SelfModified => return Ok(Some(Outcome::SelfModified)),
            Standing::Free => return Ok(Some(self.set(engine, me))),
            Standing::Held | Standing::Updated | Standing::Deleted => {}
        }
        let xmax = tuple.xmax.clone();
        if self.first {
            self.first = false;
            for (xid, claim) in xmax.members() {
                if engine.is_own(xid, me) {
                    if claim.strength() >= self.strength {
                        return Ok(Some(Outcome::Locked { tid: self.tid, moved: self.moved }));
                    }
                    // Who shares the row already does not queue: those in the queue wait for them.
                    self.without_place = matches!(xmax, Xmax::Many(_));
                }
            }
        }
        let updater = xmax.updater(&engine.xacts);
        // A row that was changed while we waited for its holder: its newer version is locked before first place is left.
        if let Some(maker) = updater
            && self.waited_for_change
            && self.newest
            && !self.followed
            && !deleted
            && !engine.xacts.is_running(maker)
        {
            self.phase =
                Phase::Follow { tid: engine.tuple(self.table, self.tid).map_or(self.tid, |tuple| tuple.next), maker };
            return Ok(None);
        }
        let blocker = blocker(engine, me, &xmax, self.strength);
        let replaced = updater.is_some_and(|xid| {
            engine.xacts.state(xid) == State::Committed
                && xmax.members().any(|(member, claim)| member == xid && conflict(claim.strength(), self.strength))
        });
        if blocker.is_none() && !replaced {
            // A key share beside a change that leaves the key alone holds on newer versions too.
            if let Some(maker) = updater
                && self.newest
                && !self.followed
                && !deleted
            {
                let next = engine.tuple(self.table, self.tid).map_or(self.tid, |tuple| tuple.next);
                self.phase = Phase::Follow { tid: next, maker };
                return Ok(None);
            }
            return Ok(Some(self.set(engine, me)));
        }
        if matches!(standing, Standing::Updated | Standing::Deleted) {
            return Ok(Some(if deleted { Outcome::Deleted } else { Outcome::Updated }));
        }
        if self.place.is_none() && !self.without_place {
            match self.policy {
                WaitPolicy::Block => {
                    self.take_place(engine, me)?;
                    // Much may have happened in the queue.
                    return Ok(None);
                }
                _ if engine.try_place(me, self.table, self.tid, self.strength) => self.place = Some(self.tid),
                WaitPolicy::Skip => return Ok(Some(Outcome::WouldBlock)),
                WaitPolicy::Error => return Err(not_available(engine, self.table).into()),
            }
        }
        match blocker {
            Some(_) if self.policy == WaitPolicy::Skip => Ok(Some(Outcome::WouldBlock)),
            Some(xid) => {
                self.stand_aside(engine, me, xid, updater.is_some())?;
                Ok(None)
            }
            None => Ok(Some(if deleted { Outcome::Deleted } else { Outcome::Updated })),
        }
    }

    fn take_place(&mut self, engine: &mut Engine, me: SessionId) -> Result<(), Stop> {
        self.queued = true;
        engine.take_place(me, self.table, self.tid, self.strength)?;
        self.queued = false;
        self.place = Some(self.tid);
        Ok(())
    }

    /// Waits for a transaction, or is refused (NOWAIT).
    fn stand_aside(&mut self, engine: &mut Engine, me: SessionId, xid: Xid, changed: bool) -> Result<(), Stop> {
        if self.policy == WaitPolicy::Error {
            return Err(not_available(engine, self.table).into());
        }
        self.waited_for_change = changed;
        engine.wait_for(me, xid)
    }

    fn set(&mut self, engine: &mut Engine, me: SessionId) -> Outcome {
        put_lock(engine, me, self.table, self.tid, self.strength);
        Outcome::Locked { tid: self.tid, moved: self.moved }
    }

    /// Locks the versions after a change that we waited for, or that does not conflict.
    fn follow(&mut self, engine: &mut Engine, me: SessionId, tid: Tid, maker: Xid) -> Result<Option<Outcome>, Stop> {
        self.followed = true;
        let end = |this: &mut RowLock| {
            this.phase = Phase::Look;
            Ok(None)
        };
        let Some(tuple) = engine.tuple(self.table, tid) else { return end(self) };
        if tuple.xmin != maker || engine.xacts.state(tuple.xmin) == State::Aborted {
            return end(self);
        }
        let xmax = tuple.xmax.clone();
        let next = tuple.next;
        let updater = xmax.updater(&engine.xacts);
        let have = xmax.members().any(|(xid, claim)| engine.is_own(xid, me) && claim.strength() >= self.strength);
        if !have {
            if let Some(xid) = blocker(engine, me, &xmax, self.strength) {
                // Here one waits for the transaction without a place in this version's queue.
                engine.wait_for(me, xid)?;
                return Ok(None);
            }
            let replaced = updater.is_some_and(|xid| {
                engine.xacts.state(xid) == State::Committed
                    && xmax.members().any(|(member, claim)| member == xid && conflict(claim.strength(), self.strength))
            });
            if replaced {
                return end(self);
            }
            put_lock(engine, me, self.table, tid, self.strength);
        }
        match updater {
            Some(maker) if next != tid => {
                self.phase = Phase::Follow { tid: next, maker };
                Ok(None)
            }
            _ => end(self),
        }
    }

    /// Steps from a replaced version to the next, until one is found that may be locked.
    fn advance(&mut self, engine: &mut Engine, me: SessionId, tid: Tid, maker: Xid) -> Result<Option<Outcome>, Stop> {
        let Some(tuple) = engine.tuple(self.table, tid) else { return Ok(Some(Outcome::Deleted)) };
        if tuple.xmin != maker || engine.xacts.state(tuple.xmin) == State::Aborted {
            return Ok(Some(Outcome::Deleted));
        }
        let (xmax, next, own_new) = (tuple.xmax.clone(), tuple.next, tuple.cmin >= self.command);
        if engine.is_own(maker, me) && own_new {
            return Ok(Some(Outcome::SelfModified));
        }
        match xmax.updater(&engine.xacts) {
            Some(xid) if !engine.is_own(xid, me) && engine.xacts.is_running(xid) => {
                if self.policy == WaitPolicy::Skip {
                    return Ok(Some(Outcome::WouldBlock));
                }
                self.stand_aside(engine, me, xid, false)?;
                Ok(None)
            }
            Some(_) if next == tid => Ok(Some(Outcome::Deleted)),
            Some(xid) => {
                self.phase = Phase::Advance { tid: next, maker: xid };
                Ok(None)
            }
            None => {
                let (table, strength, policy, command) = (self.table, self.strength, self.policy, self.command);
                *self = RowLock { moved: true, ..RowLock::new(table, tid, strength, policy, self.newest, command) };
                Ok(None)
            }
        }
    }
}

/// The first transaction in an xmax that is in progress, is not ours, and holds what conflicts.
pub fn blocker(engine: &Engine, me: SessionId, xmax: &Xmax, strength: Strength) -> Option<Xid> {
    xmax.members()
        .find(|(xid, claim)| {
            conflict(claim.strength(), strength) && engine.xacts.is_running(*xid) && !engine.is_own(*xid, me)
        })
        .map(|(xid, _)| xid)
}

/// The version after a replaced one, and who made it.
fn successor(engine: &Engine, table: TableId, tid: Tid) -> Option<(Tid, Xid)> {
    let tuple = engine.tuple(table, tid)?;
    let maker = tuple.xmax.updater(&engine.xacts)?;
    (tuple.next != tid).then_some((tuple.next, maker))
}

/// Writes a row lock into a tuple's header.
fn put_lock(engine: &mut Engine, me: SessionId, table: TableId, tid: Tid, strength: Strength) {
    let xid = engine.write_xid(me);
    let Engine { tables, xacts, next_multi, .. } = engine;
    if let Some(tuple) = tables.get_mut(&table).and_then(|table| table.heap.get_mut(tid)) {
        tuple.xmax = tuple.xmax.with(xid, Claim::Lock(strength), xacts, next_multi);
    }
    engine.work.writes += 1;
}
