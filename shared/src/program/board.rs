//! Bookkeeping outside the database: deliveries, who is in work, and whether anything can still change.

use crate::event::{Cause, EmptyReason};
use crate::ids::{JobId, WorkerId};
use crate::program::race::Bell;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// What a worker is at, as far as the end of the run depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// On its way to a claim, or in its statement.
    Claiming,
    /// It has jobs in hand.
    Busy,
    /// It found nothing and sleeps; it comes back by itself.
    Polling {
        /// What it found.
        found: EmptyReason,
        /// [`Board::stirs`] when it began to look.
        looked_at: u64,
    },
    /// It found nothing and comes back only when notified.
    Listening,
    /// It hangs.
    Hung,
    /// It is gone and will be back.
    Down,
}

/// The bookkeeping of one run.
#[derive(Debug)]
pub struct Board {
    doing: RefCell<Vec<Doing>>,
    deliveries: RefCell<BTreeMap<JobId, u32>>,
    first_causes: RefCell<BTreeMap<(JobId, u32), Cause>>,
    in_work: RefCell<BTreeMap<(WorkerId, JobId), u32>>,
    sending: RefCell<BTreeSet<WorkerId>>,
    sent: Bell,
    stirs: Cell<u64>,
    produced: Cell<bool>,
}

impl Board {
    /// A fresh board for so many workers.
    pub fn new(workers: u32) -> Board {
        Board {
            doing: RefCell::new(vec![Doing::Claiming; workers as usize]),
            deliveries: RefCell::default(),
            first_causes: RefCell::default(),
            in_work: RefCell::default(),
            sending: RefCell::default(),
            sent: Bell::default(),
            stirs: Cell::new(0),
            produced: Cell::new(false),
        }
    }

    /// Notes what a worker is at now.
    pub fn note(&self, worker: WorkerId, doing: Doing) {
        if let Some(slot) = self.doing.borrow_mut().get_mut(worker.index()) {
            *slot = doing;
        }
    }

    /// What everyone is at.
    pub fn doing(&self) -> Vec<Doing> {
        self.doing.borrow().clone()
    }

    /// Something changed that may let someone claim: a job came, came back, was taken or was finished.
    pub fn stir(&self) {
        self.stirs.set(self.stirs.get() + 1);
    }

    /// How often that was.
    pub fn stirs(&self) -> u64 {
        self.stirs.get()
    }

    /// The producer has put its last job on the queue.
    pub fn all_produced(&self) {
        self.produced.set(true);
    }

    /// Whether it has.
    pub fn is_all_produced(&self) -> bool {
        self.produced.get()
    }

    /// Counts one more delivery of a job and returns its number, from 1.
    pub fn deliver(&self, job: JobId) -> u32 {
        let mut deliveries = self.deliveries.borrow_mut();
        let count = deliveries.entry(job).or_insert(0);
        *count += 1;
        *count
    }

    /// Notes an effect that happened; returns the earlier attempt that already had it, if one had.
    pub fn effect(&self, job: JobId, kind: u32, cause: Cause) -> Option<Cause> {
        let mut causes = self.first_causes.borrow_mut();
        match causes.get(&(job, kind)) {
            Some(first) => Some(*first),
            None => {
                causes.insert((job, kind), cause);
                None
            }
        }
    }

    /// A worker's effect is on its way out (or no longer is).
    pub fn send(&self, worker: WorkerId, on_its_way: bool) {
        let mut sending = self.sending.borrow_mut();
        if on_its_way {
            sending.insert(worker);
        } else if sending.remove(&worker) {
            drop(sending);
            self.sent.ring();
        }
    }

    /// Waits until nothing of a worker's is on its way out.
    pub async fn nothing_on_its_way(&self, worker: WorkerId) {
        loop {
            let seen = self.sent.count();
            if !self.sending.borrow().contains(&worker) {
                return;
            }
            self.sent.after(seen).await;
        }
    }

    /// A worker has this attempt of a job in hand: heartbeats keep its lease.
    pub fn take(&self, worker: WorkerId, job: JobId, attempt: u32) {
        self.in_work.borrow_mut().insert((worker, job), attempt);
    }

    /// It no longer has.
    pub fn put_down(&self, worker: WorkerId, job: JobId) {
        self.in_work.borrow_mut().remove(&(worker, job));
    }

    /// It has nothing any more; returns what it had.
    pub fn drop_all(&self, worker: WorkerId) -> Vec<JobId> {
        let mut in_work = self.in_work.borrow_mut();
        let had: Vec<JobId> = in_work.keys().filter(|(w, _)| *w == worker).map(|(_, job)| *job).collect();
        in_work.retain(|(w, _), _| *w != worker);
        had
    }

    /// Every attempt in the hands of a worker that still moves.
    pub fn alive(&self) -> Vec<(WorkerId, JobId, u32)> {
        let doing = self.doing.borrow();
        let moves = |worker: WorkerId| doing.get(worker.index()).is_some_and(|doing| *doing != Doing::Hung);
        let in_work = self.in_work.borrow();
        in_work.iter().filter(|((worker, _), _)| moves(*worker)).map(|((w, job), n)| (*w, *job, *n)).collect()
    }
}
