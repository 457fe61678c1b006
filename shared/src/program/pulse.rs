//! What the observer needs to know of the event stream.

use crate::event::{Event, What};
use crate::ids::{Actor, WorkerId};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Who has which backend, whose backends are orphans, and when someone's last answer came.
#[derive(Default)]
pub struct Pulse {
    pids: RefCell<BTreeMap<i32, Actor>>,
    orphans: RefCell<BTreeMap<i32, WorkerId>>,
    answered: RefCell<BTreeMap<Actor, u64>>,
}

impl Pulse {
    /// Takes note of an event as it is told.
    pub fn feel(&self, event: &Event) {
        match event.what {
            What::Connected { pid } => {
                self.pids.borrow_mut().insert(pid, event.who);
            }
            What::Returned { .. } => {
                self.answered.borrow_mut().insert(event.who, event.at);
            }
            What::Crashed { .. } | What::SessionLost { .. } => {
                self.answered.borrow_mut().insert(event.who, event.at);
                // From here on the backend acts on its own.
                self.pids.borrow_mut().retain(|pid, who| {
                    if *who == event.who
                        && let Some(worker) = who.worker()
                    {
                        self.orphans.borrow_mut().insert(*pid, worker);
                    }
                    *who != event.who
                });
            }
            _ => {}
        }
    }

    /// Who has this backend; a stranger if it is none of the run's.
    pub fn actor(&self, pid: i32) -> Actor {
        self.pids.borrow().get(&pid).copied().unwrap_or(Actor::Stranger { pid })
    }

    /// The workers' backends.
    pub fn workers(&self) -> Vec<i32> {
        self.pids.borrow().iter().filter(|(_, who)| who.worker().is_some()).map(|(pid, _)| *pid).collect()
    }

    /// Whose crash left this backend behind.
    pub fn orphan_of(&self, pid: i32) -> Option<WorkerId> {
        self.orphans.borrow().get(&pid).copied()
    }

    /// Backends left behind by crashes, as long as they have not been seen gone.
    pub fn orphans(&self) -> Vec<i32> {
        self.orphans.borrow().keys().copied().collect()
    }

    /// A backend is gone.
    pub fn bury(&self, pid: i32) {
        self.orphans.borrow_mut().remove(&pid);
        self.pids.borrow_mut().remove(&pid);
    }

    /// When someone's last answer came, µs of the run.
    pub fn answered(&self, who: Actor) -> Option<u64> {
        self.answered.borrow().get(&who).copied()
    }
}
