//! Storage, locks and sessions together: what a running statement works on.

pub mod change;
pub mod insert;
pub mod rowlock;
pub mod savepoint;
pub mod scan;
pub mod session;
pub mod vacuum;
pub mod wait;

use crate::bound::LockMode;
use crate::catalog::{Catalog, TableId};
use crate::error::SqlError;
use crate::expr::Stop;
use crate::locks::manager::{Acquired, Manager, Span};
use crate::locks::{SessionId, Tag};
use crate::storage::table::Table;
use crate::storage::tuple::{Tid, Tuple};
use crate::storage::xact::{Xacts, Xid};
use session::Session;
use std::collections::BTreeMap;

/// What a statement did, for the cost model: numbers of things visited and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Tuples whose visibility was looked at.
    pub tuples: u64,
    /// Index entries that led to a tuple.
    pub entries: u64,
    /// Index entries stepped over because they were marked dead.
    pub dead_entries: u64,
    /// Descents of an index from its root.
    pub descents: u64,
    /// Tuples and index entries written, row locks among them.
    pub writes: u64,
    /// Commits that had to be flushed: of a transaction with an id.
    pub flushes: u64,
}

/// A notification on its way: channel, payload, sender's pid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The channel.
    pub channel: String,
    /// The payload.
    pub payload: String,
    /// Who sent it.
    pub pid: i32,
}

/// Everything but the statements in progress.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Definitions.
    pub catalog: Catalog,
    /// Data.
    pub tables: BTreeMap<TableId, Table>,
    /// Transactions.
    pub xacts: Xacts,
    /// Heavyweight locks.
    pub locks: Manager,
    /// Sessions by number; none where one ended.
    pub sessions: Vec<Option<Session>>,
    /// The number of the last MultiXact.
    pub next_multi: u32,
    /// What the statement in progress did.
    pub work: Work,
    /// The instant of the current call: µs since 1970.
    pub now: i64,
    /// The state of random().
    pub random: u64,
    /// Transactions with an id, and whose they are.
    pub owners: Vec<(Xid, SessionId)>,
    /// Sessions that someone asked to end (true) or to cancel their statement (false).
    pub signals: Vec<(SessionId, bool)>,
}

impl Engine {
    /// An empty database.
    pub fn new() -> Engine {
        Engine {
            catalog: Catalog::default(),
            tables: BTreeMap::new(),
            xacts: Xacts::default(),
            locks: Manager::default(),
            sessions: Vec::new(),
            next_multi: 0,
            work: Work::default(),
            now: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            owners: Vec::new(),
            signals: Vec::new(),
        }
    }

    /// A session; it must be there.
    #[allow(clippy::expect_used)]
    pub fn session(&self, id: SessionId) -> &Session {
        self.sessions[id.0 as usize].as_ref().expect("only sessions that are open run statements")
    }

    /// See [`Engine::session`].
    #[allow(clippy::expect_used)]
    pub fn session_mut(&mut self, id: SessionId) -> &mut Session {
        self.sessions[id.0 as usize].as_mut().expect("only sessions that are open run statements")
    }

    /// A table's data; it is locked against DROP by whoever asks.
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[&id]
    }

    /// See [`Engine::table`].
    #[allow(clippy::expect_used)]
    pub fn table_mut(&mut self, id: TableId) -> &mut Table {
        self.tables.get_mut(&id).expect("a table in use is locked against DROP")
    }

    /// A tuple.
    pub fn tuple(&self, table: TableId, tid: Tid) -> Option<&Tuple> {
        self.tables.get(&table)?.heap.get(tid)
    }

    /// Whose transaction an id is.
    pub fn owner(&self, xid: Xid) -> Option<SessionId> {
        let top = self.xacts.top(xid);
        self.owners.iter().find(|(own, _)| *own == top).map(|(_, session)| *session)
    }

    /// Locks a table, in the order of arrival; stops the statement while it has to wait.
    pub fn lock_table(&mut self, me: SessionId, table: TableId, mode: LockMode, nowait: bool) -> Result<(), Stop> {
        let tag = Tag::Relation(table);
        let span = Span::Transaction(self.session(me).depth());
        if nowait {
            return if self.locks.try_acquire(me, tag, mode, span) {
                Ok(())
            } else {
                let name = self.catalog.get(table).map_or("", |def| &def.name);
                Err(SqlError::new("55P03", format!("could not obtain lock on relation \"{name}\""))
                    .by("RangeVarCallbackForLockTable")
                    .into())
            };
        }
        self.acquire(me, tag, mode, span, None)
    }

    /// Asks for a heavyweight lock; stops the statement while it has to wait. A statement that goes on after a wait asks
    /// again and finds that it has it.
    pub fn acquire(
        &mut self,
        me: SessionId,
        tag: Tag,
        mode: LockMode,
        span: Span,
        owner: Option<SessionId>,
    ) -> Result<(), Stop> {
        if self.session_mut(me).granted.take() == Some((tag, mode)) && owner.is_none() {
            self.locks.keep(me, tag, mode, span);
            return Ok(());
        }
        match self.locks.acquire(me, tag, mode, span, owner) {
            Acquired::Granted => Ok(()),
            Acquired::Queued => {
                self.begin_wait(me, tag, mode);
                Err(Stop::Blocked)
            }
            Acquired::Deadlock => Err(deadlock().into()),
        }
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

/// 40P01
pub fn deadlock() -> SqlError {
    SqlError::new("40P01", "deadlock detected").by("DeadLockReport")
}

/// 40001, because someone else changed the row after the transaction's snapshot.
pub fn concurrent(what: &str) -> SqlError {
    SqlError::new("40001", format!("could not serialize access due to concurrent {what}"))
}

/// 55P03 of NOWAIT on a row.
pub fn not_available(engine: &Engine, table: TableId) -> SqlError {
    let name = engine.catalog.get(table).map_or("", |def| &def.name);
    SqlError::new("55P03", format!("could not obtain lock on row in relation \"{name}\"")).by("heap_lock_tuple")
}
