//! A database as small as can be: one table in memory, one statement at a time. A row that an open transaction has changed
//! is passed over by claims (SKIP LOCKED, whatever the mode) and waited for by everything else.

mod statements;

use crate::executor::VirtualClock;
use rowlock_shared::event::Refusal;
use rowlock_shared::ids::{Actor, JobId};
use rowlock_shared::program::{Answer, Call, Clock, Database, Listener, Session};
use statements::row_of;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::future::{Future, poll_fn};
use std::ops::DerefMut;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// How long a statement takes, µs.
const STATEMENT_US: u64 = 100;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) status: &'static str,
    pub(crate) attempts: i64,
    pub(crate) worker: Option<String>,
    max_attempts: i64,
    run_at: u64,
    queued_at: u64,
    alive_at: u64,
}

/// The table, the ledger, and who has changed what without having committed it.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) jobs: BTreeMap<i64, Row>,
    pub(crate) effects: Vec<(i64, String)>,
    keys: BTreeSet<String>,
    open: BTreeMap<i64, (i32, Row)>,
    listeners: Vec<Waker>,
    notified: u64,
}

#[derive(Clone)]
pub(crate) struct FakeDatabase {
    pub(crate) tables: Rc<RefCell<Tables>>,
    clock: VirtualClock,
    pids: Rc<Cell<i32>>,
    reaper_gives_up: bool,
}

pub(crate) struct FakeSession {
    tables: Rc<RefCell<Tables>>,
    clock: VirtualClock,
    pid: i32,
    /// Start of the open transaction, which is what its now() is.
    began: Option<u64>,
    reaper_gives_up: bool,
}

impl FakeDatabase {
    pub(crate) fn new(clock: VirtualClock, reaper_gives_up: bool) -> FakeDatabase {
        FakeDatabase { tables: Rc::default(), clock, pids: Rc::new(Cell::new(100)), reaper_gives_up }
    }

    fn session(&self) -> FakeSession {
        self.pids.set(self.pids.get() + 1);
        FakeSession {
            tables: self.tables.clone(),
            clock: self.clock.clone(),
            pid: self.pids.get(),
            began: None,
            reaper_gives_up: self.reaper_gives_up,
        }
    }
}

impl Database for FakeDatabase {
    type Session = FakeSession;
    type Listener = FakeListener;

    async fn open(&self, _who: Actor) -> Result<FakeSession, Refusal> {
        self.clock.sleep(STATEMENT_US).await;
        Ok(self.session())
    }

    async fn outside(&self) -> Result<impl DerefMut<Target = FakeSession>, Refusal> {
        Ok(Box::new(self.session()))
    }

    async fn listen(&self) -> Result<FakeListener, Refusal> {
        let heard = self.tables.borrow().notified;
        Ok(FakeListener { tables: self.tables.clone(), heard })
    }

    fn channel(&self) -> String {
        "jobs".into()
    }

    fn advisory_key(&self) -> i32 {
        1
    }

    async fn terminate(&self, _pid: i32) -> Result<(), Refusal> {
        Ok(())
    }
}

pub(crate) struct FakeListener {
    tables: Rc<RefCell<Tables>>,
    heard: u64,
}

impl Listener for FakeListener {
    fn notified(&mut self) -> impl Future<Output = Result<(), Refusal>> {
        poll_fn(|cx| {
            let mut tables = self.tables.borrow_mut();
            if tables.notified > self.heard {
                self.heard = tables.notified;
                return Poll::Ready(Ok(()));
            }
            tables.listeners.push(cx.waker().clone());
            Poll::Pending
        })
    }
}

impl Drop for FakeSession {
    /// A client that is gone: its idle transaction is rolled back.
    fn drop(&mut self) {
        self.tables.borrow_mut().open.retain(|_, (pid, _)| *pid != self.pid);
    }
}

impl Session for FakeSession {
    async fn execute(&mut self, call: Call<'_>) -> Result<Answer, Refusal> {
        self.clock.sleep(STATEMENT_US).await;
        while let Some(row) = row_of(&call)
            && self.is_locked(row)
        {
            self.clock.sleep(STATEMENT_US).await;
        }
        assert!(!call.text.is_empty(), "{:?} has a text", call.statement);
        Ok(self.perform(&call))
    }

    fn pid(&self) -> i32 {
        self.pid
    }
}

impl Tables {
    pub(crate) fn count(&self, status: &str) -> u32 {
        self.jobs.values().filter(|row| row.status == status).count() as u32
    }

    pub(crate) fn effects_of(&self, job: JobId) -> usize {
        self.effects.iter().filter(|(id, _)| *id == i64::from(job.0)).count()
    }
}
