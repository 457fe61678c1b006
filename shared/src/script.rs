//! For tests: a run written down by hand, folded as it goes.

use crate::event::{ClaimedJob, Event, Evidence, LockRow, Refusal, RefusalKind, WaitFor, What};
use crate::ids::{Actor, JobId, WorkerId};
use crate::scenario::Scenario;
use crate::sql::StatementId;
use crate::world::World;

pub(crate) const A: Actor = Actor::Worker(WorkerId(1));
pub(crate) const B: Actor = Actor::Worker(WorkerId(2));
pub(crate) const C: Actor = Actor::Worker(WorkerId(3));
pub(crate) const D: Actor = Actor::Worker(WorkerId(4));

/// The events so far and the world that they make.
pub(crate) struct Script {
    pub(crate) events: Vec<Event>,
    pub(crate) world: World,
}

impl Script {
    /// A run that has begun, with its jobs on the queue.
    pub(crate) fn new(scenario: Scenario) -> Script {
        let mut script = Script { events: Vec::new(), world: World::new() };
        let count = scenario.jobs;
        script.tell(Actor::Run, What::RunBegan { scenario: Box::new(scenario), engine: "PostgreSQL 15.18".into() });
        script.tell(Actor::Producer, What::Enqueued { first: JobId(1), count, priorities: Vec::new() });
        script
    }

    /// The next event, 1 ms after the last one.
    pub(crate) fn next(&self, who: Actor, what: What) -> Event {
        let seq = self.events.len() as u64 + 1;
        let evidence = match what {
            What::WaitBegan { .. } | What::WaitEnded { .. } | What::RowLocked { .. } | What::RowReleased { .. } => {
                Evidence::Observed
            }
            _ => Evidence::Executed,
        };
        Event { seq, at: seq * 1000, who, evidence, what }
    }

    pub(crate) fn tell(&mut self, who: Actor, what: What) {
        let event = self.next(who, what);
        self.world.apply(&event);
        self.events.push(event);
    }

    pub(crate) fn send(&mut self, who: Actor, statement: StatementId) {
        self.tell(who, What::Sent { statement });
    }

    pub(crate) fn execute(&mut self, who: Actor, statement: StatementId) {
        self.send(who, statement);
        self.tell(who, What::Returned { statement, rows: 1, refusal: None });
    }

    /// From BEGIN to the jobs in hand.
    pub(crate) fn claim(&mut self, who: Actor, jobs: &[u32]) {
        self.execute(who, StatementId::Begin);
        self.execute(who, StatementId::Claim);
        self.tell(who, What::Claimed { jobs: jobs.iter().map(|id| claimed(*id, 1, &[])).collect() });
    }

    /// The work and its end.
    pub(crate) fn work(&mut self, who: Actor, job: u32) {
        let job = JobId(job);
        self.tell(who, What::WorkBegan { job, attempt: 1, delivery: 1, us: 1000 });
        self.tell(who, What::WorkEnded { job, delivery: 1, ok: true });
    }

    pub(crate) fn ack(&mut self, who: Actor, job: u32) {
        self.execute(who, StatementId::Ack);
        self.tell(who, What::Acked { job: JobId(job) });
    }

    pub(crate) fn commit(&mut self, who: Actor) {
        self.execute(who, StatementId::Commit);
        self.tell(who, What::Committed);
    }
}

pub(crate) fn claimed(job: u32, delivery: u32, passed: &[u32]) -> ClaimedJob {
    ClaimedJob { job: JobId(job), attempt: delivery, delivery, passed: passed.iter().copied().map(JobId).collect() }
}

pub(crate) fn wait(job: Option<u32>, blocked_by: &[Actor], place: u32) -> What {
    let lock = LockRow {
        locktype: if place == 1 { "transactionid" } else { "tuple" }.into(),
        mode: "ShareLock".into(),
        granted: false,
        relation: None,
        tuple: None,
        transactionid: Some("731".into()),
    };
    let wait = if place == 1 { WaitFor::TransactionId } else { WaitFor::Tuple };
    What::WaitBegan { wait, job: job.map(JobId), blocked_by: blocked_by.to_vec(), place, since: 0, lock }
}

pub(crate) fn refusal(kind: RefusalKind) -> Refusal {
    Refusal { kind, sqlstate: None, routine: None, message: "no such thing".into() }
}
