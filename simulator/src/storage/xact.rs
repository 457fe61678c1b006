//! Transaction ids, their states, and snapshots. PostgreSQL 15: access/transam/README, procarray.c.

/// A transaction id, of a transaction or of a subtransaction (savepoint).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Xid(pub u32);

/// The first id given out. Below it PostgreSQL keeps its own.
const FIRST: u32 = 731;

/// How a transaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not ended. A subtransaction that was released stays so until its transaction ends.
    Running,
    /// Committed.
    Committed,
    /// Rolled back, or a subtransaction that was.
    Aborted,
}

/// All transactions that ever were.
#[derive(Debug, Clone, Default)]
pub struct Xacts {
    states: Vec<State>,
    /// The transaction that each id belongs to: itself, or the one it is a savepoint of.
    tops: Vec<Xid>,
    /// Top-level ids in progress, lowest first.
    running: Vec<Xid>,
}

impl Xacts {
    /// Gives out the next id; of a subtransaction if `top` is given.
    pub fn assign(&mut self, top: Option<Xid>) -> Xid {
        let xid = self.next();
        self.states.push(State::Running);
        self.tops.push(top.unwrap_or(xid));
        if top.is_none() {
            self.running.push(xid);
        }
        xid
    }

    /// The id that will be given out next.
    pub fn next(&self) -> Xid {
        Xid(FIRST + self.states.len() as u32)
    }

    fn at(xid: Xid) -> usize {
        (xid.0 - FIRST) as usize
    }

    /// How it stands.
    pub fn state(&self, xid: Xid) -> State {
        self.states[Self::at(xid)]
    }

    /// The transaction that it belongs to.
    pub fn top(&self, xid: Xid) -> Xid {
        self.tops[Self::at(xid)]
    }

    /// Whether it has not ended.
    pub fn is_running(&self, xid: Xid) -> bool {
        self.state(xid) == State::Running
    }

    /// Whether it is a live part of the transaction `own`.
    pub fn is_own(&self, xid: Xid, own: Option<Xid>) -> bool {
        own.is_some_and(|own| own == xid || self.top(xid) == own) && self.is_running(xid)
    }

    /// Ends a transaction with those of its subtransactions that are still running.
    pub fn end(&mut self, top: Xid, subs: &[Xid], state: State) {
        self.states[Self::at(top)] = state;
        for sub in subs {
            if self.is_running(*sub) {
                self.states[Self::at(*sub)] = state;
            }
        }
        self.running.retain(|xid| *xid != top);
    }

    /// Rolls a subtransaction back.
    pub fn abort_sub(&mut self, sub: Xid) {
        self.states[Self::at(sub)] = State::Aborted;
    }

    /// Takes a snapshot into `into`, whose memory is used again.
    pub fn snapshot(&self, into: &mut Snapshot, command: u32) {
        into.xmax = self.next();
        into.xmin = self.running.first().copied().unwrap_or(into.xmax);
        into.running.clear();
        into.running.extend_from_slice(&self.running);
        into.command = command;
    }

    /// The oldest id in progress, or the next one.
    pub fn oldest_running(&self) -> Xid {
        self.running.first().copied().unwrap_or_else(|| self.next())
    }
}

/// What a statement, or a transaction above READ COMMITTED, can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// All ids below it had ended.
    pub xmin: Xid,
    /// This id and all above had not begun.
    pub xmax: Xid,
    /// Transactions that were in progress.
    pub running: Vec<Xid>,
    /// Own changes by this command and later ones are not seen.
    pub command: u32,
}

impl Default for Snapshot {
    fn default() -> Snapshot {
        Snapshot { xmin: Xid(FIRST), xmax: Xid(FIRST), running: Vec::new(), command: 0 }
    }
}

impl Snapshot {
    /// Whether a transaction of someone else was in progress, or not begun, when the snapshot was taken.
    pub fn was_running(&self, xid: Xid, xacts: &Xacts) -> bool {
        if xid < self.xmin {
            false
        } else if xid >= self.xmax {
            true
        } else {
            self.running.contains(&xacts.top(xid))
        }
    }
}
