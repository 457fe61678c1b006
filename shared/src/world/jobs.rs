//! Jobs as the world has them.

use super::World;
use crate::event::Evidence;
use crate::ids::{Actor, JobId, WorkerId};
use serde::{Deserialize, Serialize};

/// A job's status, as committed: what every other session sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// On the queue.
    #[default]
    Queued,
    /// Claimed by a committed claim.
    Processing,
    /// Done.
    Done,
    /// Given up: a dead letter.
    Failed,
}

/// Who holds a row's lock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The holder.
    pub who: Actor,
    /// Since when, µs of the run.
    pub since: u64,
    /// The lock's modes as pgrowlocks prints them, where it was asked.
    pub modes: Vec<String>,
    /// How it is known.
    pub evidence: Evidence,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobView {
    /// Its id.
    pub id: JobId,
    /// Its priority class; 0 goes first.
    pub priority: u32,
    /// Its status, as committed.
    pub state: JobState,
    /// `attempts`, as committed.
    pub attempts: u32,
    /// When it last came on the queue, µs of the run.
    pub queued_at: u64,
    /// When it first came.
    pub arrived_at: u64,
    /// When it is due (differs from `queued_at` for retries).
    pub due_at: u64,
    /// Who holds its row lock.
    pub holder: Option<Holder>,
    /// Who waits for it, first in line first.
    pub queue: Vec<Actor>,
    /// Who has it in processing by a committed claim.
    pub owner: Option<WorkerId>,
    /// Who is at work on it right now; more than one is the harm.
    pub running: Vec<WorkerId>,
    /// Times that it was handed out.
    pub deliveries: u32,
    /// Times that its work ran to the end with success.
    pub runs: u32,
    /// Effects that happened because of it.
    pub effects: u32,
    /// Those of them that repeat an earlier one.
    pub duplicates: u32,
    /// Times that a claim passed over it.
    pub passed_over: u32,
    /// Times that the reaper brought it back.
    pub reaped: u32,
}

impl JobView {
    pub(super) fn new(id: JobId, at: u64) -> JobView {
        JobView {
            id,
            priority: 0,
            state: JobState::Queued,
            attempts: 0,
            queued_at: at,
            arrived_at: at,
            due_at: at,
            holder: None,
            queue: Vec::new(),
            owner: None,
            running: Vec::new(),
            deliveries: 0,
            runs: 0,
            effects: 0,
            duplicates: 0,
            passed_over: 0,
            reaped: 0,
        }
    }

    /// Queued, due, not locked: whoever asks next can have it.
    pub fn is_free(&self, now: u64) -> bool {
        self.state == JobState::Queued && self.holder.is_none() && self.due_at <= now
    }
}

impl World {
    /// The job, which comes into being if the claim's reply was read before the producer's: replies do not arrive in
    /// server order.
    pub(super) fn job_mut(&mut self, id: JobId) -> Option<&mut JobView> {
        let index = (id.0 as usize).checked_sub(1)?;
        if id.0 > crate::ids::MAX_JOB {
            return None;
        }
        while self.jobs.len() <= index {
            let next = JobId(self.jobs.len() as u32 + 1);
            self.jobs.push(JobView::new(next, self.at));
            *self.states.entry(JobState::Queued).or_insert(0) += 1;
        }
        self.jobs.get_mut(index)
    }

    pub(super) fn set_state(&mut self, id: JobId, state: JobState) {
        let Some(job) = self.job_mut(id) else { return };
        let before = std::mem::replace(&mut job.state, state);
        if let Some(count) = self.states.get_mut(&before) {
            *count = count.saturating_sub(1);
        }
        *self.states.entry(state).or_insert(0) += 1;
    }
}
