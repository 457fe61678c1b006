//! Changes: its sender's alone until COMMIT, everyone's after it, nobody's after ROLLBACK.

use super::workers::Change;
use super::{JobState, Transaction, World};
use crate::ids::{Actor, JobId, WorkerId};

impl World {
    /// A change inside a transaction: visible to its sender only, until COMMIT.
    pub(super) fn change(&mut self, who: Actor, change: Change) {
        if let Some(session) = self.session_mut(who) {
            session.transaction.get_or_insert_with(Transaction::default).changes.push(change);
        }
    }

    /// What someone's transaction changed becomes visible to all, and its locks are gone.
    pub(super) fn settle(&mut self, who: Actor) {
        let Some(transaction) = self.session_mut(who).and_then(|session| session.transaction.take()) else {
            return self.release_all(who);
        };
        self.release_all(who);
        for change in transaction.changes {
            self.make_visible(who, change);
        }
    }

    /// What someone's transaction changed never happened, and its locks are gone.
    pub(super) fn undo(&mut self, who: Actor) {
        if let Some(session) = self.session_mut(who) {
            session.transaction = None;
            session.ending = false;
        }
        self.release_all(who);
        self.stop_waiting(who);
    }

    fn make_visible(&mut self, who: Actor, change: Change) {
        let at = self.at;
        match change {
            Change::Claim { job, attempt } => {
                self.set_state(job, JobState::Processing);
                if let Some(job) = self.job_mut(job) {
                    job.attempts = attempt;
                    job.owner = who.worker();
                }
            }
            Change::Ack { job } => {
                self.set_state(job, JobState::Done);
                self.counters.acks += 1;
                self.counters.last_ack_at = at;
                if let Some(worker) = self.worker_mut(who) {
                    worker.done += 1;
                }
                if let Some(job) = self.job_mut(job) {
                    job.owner = None;
                    let total = at.saturating_sub(job.arrived_at);
                    self.counters.total_time.add(total);
                }
            }
            Change::Requeue { job, due_at } => {
                self.set_state(job, JobState::Queued);
                self.counters.retries += 1;
                if let Some(job) = self.job_mut(job) {
                    job.owner = None;
                    job.queued_at = at;
                    job.due_at = due_at;
                }
            }
            Change::DeadLetter { job } => {
                self.set_state(job, JobState::Failed);
                self.counters.dead_letters += 1;
                if let Some(job) = self.job_mut(job) {
                    job.owner = None;
                }
            }
        }
    }

    pub(super) fn reaped(&mut self, id: JobId, owner: Option<WorkerId>, attempt: u32, dead: bool) {
        let at = self.at;
        self.counters.reaped += 1;
        self.counters.dead_letters += u32::from(dead);
        // The reaper takes committed claims only: the owner's COMMIT came first, whatever was read first.
        if let Some(owner) = owner.map(Actor::Worker)
            && self.session(owner).is_some_and(|session| session.ending && session.has_claimed(id))
        {
            self.settle(owner);
        }
        let Some(job) = self.job_mut(id) else { return };
        job.reaped += 1;
        // Claimed again or settled since, and that was read first: the later change stands.
        if job.state != JobState::Processing || job.attempts > attempt {
            return;
        }
        job.owner = None;
        job.queued_at = at;
        self.set_state(id, if dead { JobState::Failed } else { JobState::Queued });
    }
}
