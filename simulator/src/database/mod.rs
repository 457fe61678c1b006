//! The database as its clients meet it: sessions that send messages, get replies or wait.
//!
//! A message is one or more statements, as in PostgreSQL's simple query protocol: outside a block they are one transaction.
//! After every call ask [`Database::next_runnable`] until it has none: a wait that ended is a statement that has to go on.

mod look;
mod reply;

pub use reply::{Output, Progress, Reply, Wait};

use crate::engine::session::Session;
use crate::engine::wait::Due;
use crate::engine::{Engine, Work};
use crate::error::SqlError;
use crate::locks::SessionId;
use crate::portal::{Outcome, Portal, Prepared};
use crate::value::Datum;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A statement's number among those prepared.
pub type Handle = usize;

/// A message in progress.
#[derive(Debug, Clone)]
struct Message {
    statements: Rc<[Handle]>,
    at: usize,
    params: Vec<Datum>,
    outputs: Vec<Output>,
    work: Work,
    /// One statement of it has begun and is in its portal.
    running: bool,
}

/// What a session keeps beside the engine's own record.
#[derive(Debug, Clone, Default)]
struct Client {
    message: Option<Box<Message>>,
    portals: Vec<Option<Box<Portal>>>,
    /// Ends the statement in progress.
    error: Option<SqlError>,
    /// Ended the session.
    fatal: Option<SqlError>,
}

/// The database.
#[derive(Debug, Clone)]
pub struct Database {
    engine: Engine,
    clients: Vec<Client>,
    prepared: Vec<Rc<Prepared>>,
    by_text: BTreeMap<String, Rc<[Handle]>>,
    runnable: VecDeque<SessionId>,
}

/// The pid of the first session.
const FIRST_PID: i32 = 4001;

impl Default for Database {
    fn default() -> Database {
        Database::new()
    }
}

impl Database {
    /// An empty database.
    pub fn new() -> Database {
        Database {
            engine: Engine::new(),
            clients: Vec::new(),
            prepared: Vec::new(),
            by_text: BTreeMap::new(),
            runnable: VecDeque::new(),
        }
    }

    /// Everything but statements in progress, for views.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Opens a session; `name` is its application_name. `now`, here and below: µs since 1970.
    pub fn connect(&mut self, name: &str, now: i64) -> SessionId {
        let id = SessionId(self.engine.sessions.len() as u32);
        self.engine.sessions.push(Some(Session {
            pid: FIRST_PID + id.0 as i32,
            name: name.to_owned(),
            transaction: None,
            settings: BTreeMap::new(),
            waiting: None,
            granted: None,
            orphaned: false,
            channels: Vec::new(),
            inbox: Vec::new(),
            query: String::new(),
            state_since: now,
            statement_since: None,
            xmin: None,
            sleeping: None,
        }));
        self.clients.push(Client::default());
        id
    }

    /// Parses a message, once for each text.
    pub fn prepare(&mut self, text: &str) -> Result<Rc<[Handle]>, SqlError> {
        if let Some(known) = self.by_text.get(text) {
            return Ok(known.clone());
        }
        let mut handles = Vec::new();
        for parsed in crate::sql::parse(text)? {
            handles.push(self.prepared.len());
            self.prepared.push(Rc::new(Prepared::new(parsed)));
        }
        let handles: Rc<[Handle]> = handles.into();
        self.by_text.insert(text.to_owned(), handles.clone());
        Ok(handles)
    }

    /// Sends a message.
    pub fn send(&mut self, me: SessionId, text: &str, params: Vec<Datum>, now: i64) -> Progress {
        match self.prepare(text) {
            Ok(statements) => self.execute(me, statements, params, now),
            Err(error) => {
                self.engine.now = now;
                if let Some(fatal) = self.gone(me) {
                    return Progress::Done(Reply { error: Some(fatal), ..Reply::default() });
                }
                self.engine.session_mut(me).query = text.to_owned();
                self.fail(me);
                Progress::Done(Reply { error: Some(error), ..Reply::default() })
            }
        }
    }

    /// Sends statements that were prepared.
    pub fn execute(&mut self, me: SessionId, statements: Rc<[Handle]>, params: Vec<Datum>, now: i64) -> Progress {
        self.engine.now = now;
        if let Some(fatal) = self.gone(me) {
            return Progress::Done(Reply { error: Some(fatal), ..Reply::default() });
        }
        let session = self.engine.session_mut(me);
        session.statement_since = Some(now);
        session.state_since = now;
        self.clients[me.0 as usize].message = Some(Box::new(Message {
            statements,
            at: 0,
            params,
            outputs: Vec::new(),
            work: Work::default(),
            running: false,
        }));
        self.go(me)
    }

    /// Goes on with the message of a session that was runnable.
    pub fn resume(&mut self, me: SessionId, now: i64) -> Progress {
        self.engine.now = now;
        if self.clients[me.0 as usize].message.is_none() {
            return Progress::Done(Reply { error: self.gone(me), ..Reply::default() });
        }
        self.go(me)
    }

    fn gone(&mut self, me: SessionId) -> Option<SqlError> {
        if self.engine.sessions[me.0 as usize].is_some() {
            return None;
        }
        Some(
            self.clients[me.0 as usize]
                .fatal
                .clone()
                .unwrap_or_else(|| SqlError::new("08003", "the session has ended")),
        )
    }

    /// The next session whose message can go on.
    pub fn next_runnable(&mut self) -> Option<SessionId> {
        self.collect();
        self.runnable.pop_front()
    }

    fn collect(&mut self) {
        let woken = self.engine.take_woken();
        self.runnable.extend(woken);
        for (session, terminate) in std::mem::take(&mut self.engine.signals) {
            if terminate {
                self.terminate(
                    session,
                    SqlError::new("57P01", "terminating connection due to administrator command")
                        .by("ProcessInterrupts"),
                );
            } else if self.is_waiting(session) {
                self.interrupt(
                    session,
                    SqlError::new("57014", "canceling statement due to user request").by("ProcessInterrupts"),
                );
            }
        }
    }

    fn is_waiting(&self, id: SessionId) -> bool {
        self.engine.sessions[id.0 as usize]
            .as_ref()
            .is_some_and(|session| session.waiting.is_some() || session.sleeping.is_some())
    }

    /// Ends a waiting statement with an error.
    fn interrupt(&mut self, id: SessionId, error: SqlError) {
        self.clients[id.0 as usize].error = Some(error);
        self.engine.locks.cancel_wait(id);
        let session = self.engine.session_mut(id);
        (session.waiting, session.granted, session.sleeping) = (None, None, None);
        if !self.runnable.contains(&id) {
            self.runnable.push_back(id);
        }
    }

    fn go(&mut self, me: SessionId) -> Progress {
        let Some(mut message) = self.clients[me.0 as usize].message.take() else { return Progress::Blocked };
        self.engine.work = Work::default();
        let outcome = self.run(me, &mut message);
        message.work += self.engine.work;
        let error = match outcome {
            Ok(()) => None,
            Err(Outcome::Blocked) => {
                self.clients[me.0 as usize].message = Some(message);
                return Progress::Blocked;
            }
            Err(Outcome::Error(error)) => {
                self.fail(me);
                Some(error)
            }
        };
        if let Some(session) = self.engine.sessions[me.0 as usize].as_mut() {
            session.statement_since = None;
            session.state_since = self.engine.now;
            session.granted = None;
            if session.orphaned {
                self.end_session(me);
            }
        }
        Progress::Done(Reply { outputs: message.outputs, error, work: message.work })
    }

    fn run(&mut self, me: SessionId, message: &mut Message) -> Result<(), Outcome> {
        if let Some(error) = self.clients[me.0 as usize].error.take() {
            return Err(Outcome::Error(error));
        }
        while let Some(handle) = message.statements.get(message.at).copied() {
            let prepared = self.prepared[handle].clone();
            if !message.running {
                self.engine.session_mut(me).query.clone_from(&prepared.text);
                message.running = true;
            }
            let portals = &mut self.clients[me.0 as usize].portals;
            if portals.len() <= handle {
                portals.resize_with(handle + 1, || None);
            }
            let mut portal = portals[handle].take().unwrap_or_default();
            let several = message.statements.len() > 1;
            let result = portal.run(&mut self.engine, me, &prepared, &message.params, several);
            self.clients[me.0 as usize].portals[handle] = Some(portal);
            message.outputs.push(result?);
            message.running = false;
            message.at += 1;
        }
        // What was no block ends with its message.
        if self.engine.session(me).transaction.as_ref().is_some_and(|transaction| !transaction.block) {
            self.engine.end_transaction(me, true);
        }
        Ok(())
    }

    /// What an error leaves: an aborted transaction, or savepoint, whose locks are free at once.
    fn fail(&mut self, me: SessionId) {
        for portal in self.clients[me.0 as usize].portals.iter_mut().flatten() {
            portal.drop_run();
        }
        let session = self.engine.session_mut(me);
        session.xmin = None;
        let Some(transaction) = session.transaction.as_ref() else { return };
        if transaction.failed {
            return;
        }
        let (block, isolation) = (transaction.block, transaction.isolation);
        match transaction.savepoints.len() {
            0 => {
                self.engine.end_transaction(me, false);
                if block {
                    self.engine.begin(me, Some(isolation), true);
                    self.engine.transaction_mut(me).failed = true;
                }
            }
            n => {
                self.engine.abort_from(me, n - 1);
                let transaction = self.engine.transaction_mut(me);
                transaction.savepoints[n - 1].xid = None;
                transaction.failed = true;
            }
        }
    }

    /// The next instant at which time itself changes something: a deadlock check, a timeout, the end of a sleep.
    pub fn next_deadline(&self) -> Option<i64> {
        self.engine.next_due().map(|(at, ..)| at)
    }

    /// Does the one thing that is due first, if it is due by `now`; false if nothing is.
    pub fn fire(&mut self, now: i64) -> bool {
        let Some((at, id, due)) = self.engine.next_due().filter(|(at, ..)| *at <= now) else { return false };
        self.engine.now = at;
        match due {
            Due::DeadlockCheck => {
                if self.engine.check_deadlock(id) {
                    self.interrupt(id, Engine::due_error(due));
                }
            }
            Due::LockTimeout | Due::StatementTimeout => self.interrupt(id, Engine::due_error(due)),
            Due::IdleTimeout => self.terminate(id, Engine::due_error(due)),
            Due::Sleep => {
                let session = self.engine.session_mut(id);
                session.sleeping = Some(at);
                if !self.runnable.contains(&id) {
                    self.runnable.push_back(id);
                }
            }
        }
        true
    }

    /// Ends a session from the server's side; its client hears why when it next speaks, or at once if it waits for a reply.
    pub fn terminate(&mut self, id: SessionId, why: SqlError) {
        if self.engine.sessions[id.0 as usize].is_none() {
            return;
        }
        let waits = self.clients[id.0 as usize].message.take().is_some();
        self.clients[id.0 as usize].fatal = Some(why);
        self.end_session(id);
        self.runnable.retain(|other| *other != id);
        if waits {
            self.runnable.push_back(id);
        }
    }

    /// The client is gone without a word. An idle session rolls back at once; one with a statement in progress lets it run to
    /// its end first, and in autocommit that commits (DESIGN, fact 9).
    pub fn disconnect(&mut self, id: SessionId, now: i64) {
        self.engine.now = now;
        if self.clients[id.0 as usize].message.is_some() {
            self.engine.session_mut(id).orphaned = true;
        } else {
            self.end_session(id);
        }
    }

    fn end_session(&mut self, id: SessionId) {
        if self.engine.sessions[id.0 as usize].is_none() {
            return;
        }
        self.engine.locks.cancel_wait(id);
        self.engine.end_transaction(id, false);
        self.engine.locks.release_session(id);
        self.collect_before_end(id);
        self.engine.sessions[id.0 as usize] = None;
        self.clients[id.0 as usize].portals.clear();
    }

    /// Those whom the end of a session woke are noted while its number still means it.
    fn collect_before_end(&mut self, id: SessionId) {
        let woken = self.engine.take_woken();
        self.runnable.extend(woken.into_iter().filter(|other| *other != id));
    }
}
