//! A session: its transaction, savepoints and settings.

use super::{Engine, Notification};
use crate::bound::{Isolation, LockMode};
use crate::catalog::{TableDef, TableId};
use crate::error::SqlError;
use crate::locks::{SessionId, Tag};
use crate::storage::table::Table;
use crate::storage::xact::{Snapshot, State, Xid};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A savepoint.
#[derive(Debug, Clone)]
pub struct Savepoint {
    /// Its name.
    pub name: String,
    /// The subtransaction's id, once it changed or locked something.
    pub xid: Option<Xid>,
    /// Settings as they were.
    pub settings: BTreeMap<String, String>,
    /// How many notifications were pending.
    pub notifications: usize,
}

/// A transaction.
#[derive(Debug, Clone)]
pub struct Transaction {
    /// Its id, once it changed or locked something.
    pub xid: Option<Xid>,
    /// Savepoints, outermost first.
    pub savepoints: Vec<Savepoint>,
    /// Every subtransaction's id that there was.
    pub subs: Vec<Xid>,
    /// The number of the next command.
    pub command: u32,
    /// Isolation level.
    pub isolation: Isolation,
    /// The snapshot that it keeps, above READ COMMITTED, from its first statement on.
    pub snapshot: Option<Snapshot>,
    /// When it began: now().
    pub started: i64,
    /// BEGIN was said; otherwise it ends with its message.
    pub block: bool,
    /// An error ended it; only its end is awaited.
    pub failed: bool,
    /// Settings before it, to which SET (rolled back) and SET LOCAL return.
    pub settings_before: BTreeMap<String, String>,
    /// What SET, not LOCAL, said: stays if it commits.
    pub settings_kept: Vec<(String, Option<String>)>,
    /// NOTIFYs, sent when it commits.
    pub notifications: Vec<Notification>,
    /// LISTEN (true) and UNLISTEN, done when it commits.
    pub listens: Vec<(Option<String>, bool)>,
    /// Definitions changed, at which depth of savepoints, and how they were.
    pub undo: Vec<(u32, Undo)>,
    /// Rows inserted and deleted by each id in each table: a rollback turns them about.
    pub counts: Vec<(Xid, TableId, i64, i64)>,
}

/// A table as it was before a definition changed.
#[derive(Debug, Clone)]
pub struct Undo {
    /// Which.
    pub table: TableId,
    /// Its definition; none: it was not there.
    pub def: Option<Rc<TableDef>>,
    /// Its data.
    pub data: Option<Table>,
}

/// A wait in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// For what.
    pub tag: Tag,
    /// In which mode.
    pub mode: LockMode,
    /// Since when: pg_locks.waitstart, µs since 1970.
    pub since: i64,
    /// Waits begun before it, in the whole database: orders those of one instant.
    pub number: u64,
    /// Its one deadlock check is over.
    pub checked: bool,
}

/// A session.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its backend's process id.
    pub pid: i32,
    /// application_name.
    pub name: String,
    /// Its transaction.
    pub transaction: Option<Transaction>,
    /// Settings that differ from the defaults.
    pub settings: BTreeMap<String, String>,
    /// What it waits for.
    pub waiting: Option<Waiting>,
    /// The lock that ended its last wait, until it goes on.
    pub granted: Option<(Tag, LockMode)>,
    /// Its client is gone: what it does goes on unseen (DESIGN, fact 9).
    pub orphaned: bool,
    /// Channels that it listens to.
    pub channels: Vec<String>,
    /// Notifications for its client.
    pub inbox: Vec<Notification>,
    /// The statement in progress or the last one.
    pub query: String,
    /// Since when it is in its state.
    pub state_since: i64,
    /// When the statement in progress began.
    pub statement_since: Option<i64>,
    /// The oldest id that the statement in progress may still miss.
    pub xmin: Option<Xid>,
    /// The statement in progress sleeps until then (pg_sleep).
    pub sleeping: Option<i64>,
}

impl Session {
    /// How deep in savepoints it is; 0 is none.
    pub fn depth(&self) -> u32 {
        self.transaction.as_ref().map_or(0, |transaction| transaction.savepoints.len() as u32)
    }

    /// A setting in milliseconds; 0 is off. `default` is what PostgreSQL ships.
    pub fn millis(&self, name: &str, default: u64) -> u64 {
        self.settings.get(name).and_then(|text| parse_duration(text).ok()).unwrap_or(default)
    }
}

/// A duration setting in ms: a number is ms, else with unit us, ms, s, min, h or d.
pub fn parse_duration(text: &str) -> Result<u64, SqlError> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let invalid = || SqlError::new("22023", format!("invalid value for a duration: \"{text}\""));
    let number: f64 = text[..digits].parse().map_err(|_| invalid())?;
    let factor = match text[digits..].trim() {
        "" | "ms" => 1.0,
        "us" => 0.001,
        "s" => 1_000.0,
        "min" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => return Err(invalid()),
    };
    Ok((number * factor).round() as u64)
}

impl Engine {
    /// The transaction of a session that runs a statement.
    #[allow(clippy::expect_used)]
    pub fn transaction(&self, me: SessionId) -> &Transaction {
        self.session(me).transaction.as_ref().expect("a statement runs in a transaction")
    }

    /// See [`Engine::transaction`].
    #[allow(clippy::expect_used)]
    pub fn transaction_mut(&mut self, me: SessionId) -> &mut Transaction {
        self.session_mut(me).transaction.as_mut().expect("a statement runs in a transaction")
    }

    /// The top-level id of a session's transaction, if it has one.
    pub fn own(&self, me: SessionId) -> Option<Xid> {
        self.session(me).transaction.as_ref().and_then(|transaction| transaction.xid)
    }

    /// Whether an id is a live part of the session's transaction.
    pub fn is_own(&self, xid: Xid, me: SessionId) -> bool {
        self.xacts.is_own(xid, self.own(me))
    }

    /// Begins a transaction.
    pub fn begin(&mut self, me: SessionId, isolation: Option<Isolation>, block: bool) {
        let now = self.now;
        let session = self.session_mut(me);
        let isolation = isolation.unwrap_or_else(|| {
            match session.settings.get("default_transaction_isolation").map(String::as_str) {
                Some("repeatable read") => Isolation::RepeatableRead,
                Some("serializable") => Isolation::Serializable,
                _ => Isolation::ReadCommitted,
            }
        });
        let settings_before = if session.settings.is_empty() { BTreeMap::new() } else { session.settings.clone() };
        session.transaction = Some(Transaction {
            xid: None,
            savepoints: Vec::new(),
            subs: Vec::new(),
            command: 0,
            isolation,
            snapshot: None,
            started: now,
            block,
            failed: false,
            settings_before,
            settings_kept: Vec::new(),
            notifications: Vec::new(),
            listens: Vec::new(),
            undo: Vec::new(),
            counts: Vec::new(),
        });
    }

    /// The id under which the session changes and locks now: its transaction's or its innermost savepoint's.
    pub fn write_xid(&mut self, me: SessionId) -> Xid {
        let transaction = self.transaction(me);
        let innermost = transaction.savepoints.len();
        let have = match innermost {
            0 => transaction.xid,
            n => transaction.savepoints[n - 1].xid,
        };
        if let Some(xid) = have {
            return xid;
        }
        let top = match transaction.xid {
            Some(top) => top,
            None => {
                let top = self.xacts.assign(None);
                self.owners.push((top, me));
                self.transaction_mut(me).xid = Some(top);
                top
            }
        };
        let mut xid = top;
        for n in 0..innermost {
            xid = match self.transaction(me).savepoints[n].xid {
                Some(xid) => xid,
                None => {
                    let sub = self.xacts.assign(Some(top));
                    let transaction = self.transaction_mut(me);
                    transaction.savepoints[n].xid = Some(sub);
                    transaction.subs.push(sub);
                    sub
                }
            };
        }
        xid
    }

    /// Ends the session's transaction; its locks are free from here on.
    pub fn end_transaction(&mut self, me: SessionId, commit: bool) {
        let Some(transaction) = self.session_mut(me).transaction.take() else { return };
        let state = if commit { State::Committed } else { State::Aborted };
        if let Some(top) = transaction.xid {
            let live: Vec<Xid> = transaction.subs.iter().copied().filter(|sub| self.xacts.is_running(*sub)).collect();
            self.xacts.end(top, &live, state);
            self.owners.retain(|(xid, _)| *xid != top);
            for xid in live.into_iter().chain([top]) {
                self.locks.transaction_ended(xid);
            }
            self.work.flushes += u64::from(commit);
            if !commit {
                self.uncount(&transaction.counts);
            }
        }
        if !commit && !transaction.undo.is_empty() {
            crate::control::undo(self, transaction.undo.into_iter().map(|(_, undo)| undo).collect());
        }
        self.locks.release_from(me, 0);
        let session = self.session_mut(me);
        session.xmin = None;
        if !transaction.settings_before.is_empty() || !session.settings.is_empty() {
            session.settings = transaction.settings_before;
        }
        if commit {
            for (name, value) in transaction.settings_kept {
                match value {
                    Some(value) => _ = session.settings.insert(name, value),
                    None => _ = session.settings.remove(&name),
                }
            }
            for (channel, listen) in transaction.listens {
                match channel {
                    Some(channel) if listen => {
                        if !session.channels.contains(&channel) {
                            session.channels.push(channel);
                        }
                    }
                    Some(channel) => session.channels.retain(|other| *other != channel),
                    None => session.channels.clear(),
                }
            }
            if !transaction.notifications.is_empty() {
                self.deliver(transaction.notifications);
            }
        }
    }

    /// Puts notifications into the inboxes of those who listen; equal ones of one transaction are one.
    fn deliver(&mut self, notifications: Vec<Notification>) {
        let mut sent: Vec<Notification> = Vec::new();
        for notification in notifications {
            if !sent.contains(&notification) {
                sent.push(notification);
            }
        }
        for session in self.sessions.iter_mut().flatten() {
            for notification in sent.iter().filter(|notification| session.channels.contains(&notification.channel)) {
                session.inbox.push(notification.clone());
            }
        }
    }

    /// Counts rows that a transaction or savepoint inserted and deleted.
    pub fn count(&mut self, me: SessionId, xid: Xid, table: TableId, inserted: i64, deleted: i64) {
        if let Some(data) = self.tables.get_mut(&table) {
            data.stats.inserted += inserted as u64;
            data.stats.deleted += deleted as u64;
            data.stats.live += inserted - deleted;
            data.stats.dead += deleted;
        }
        let counts = &mut self.transaction_mut(me).counts;
        match counts.last_mut() {
            Some(last) if (last.0, last.1) == (xid, table) => {
                last.2 += inserted;
                last.3 += deleted;
            }
            _ => counts.push((xid, table, inserted, deleted)),
        }
    }

    /// What a rollback makes of the counts: inserted rows are dead, deleted ones live.
    pub(super) fn uncount(&mut self, counts: &[(Xid, TableId, i64, i64)]) {
        for (_, table, inserted, deleted) in counts {
            if let Some(data) = self.tables.get_mut(table) {
                data.stats.live += deleted - inserted;
                data.stats.dead += inserted - deleted;
            }
        }
    }
}
