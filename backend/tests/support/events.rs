//! Events from a seed. They need not be what a queue would do: the fold takes any, and a stream must carry any.

use rowlock_shared::event::{ClaimedJob, EndReason, Event, Evidence, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::scenario::Scenario;
use rowlock_shared::sql::StatementId;

/// A small generator: numbers that look random and are the same for the same seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number from 0 to below `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A run of `count` events, the last of which is its end.
pub(crate) fn made_up(seed: u64, count: u64) -> Vec<Event> {
    let mut dice = Dice(seed);
    (1..=count).map(|seq| Event { seq, at: seq * 7, ..one(&mut dice, seq, count) }).collect()
}

fn one(dice: &mut Dice, seq: u64, count: u64) -> Event {
    let job = JobId(dice.roll(20) as u32 + 1);
    let worker = Actor::Worker(WorkerId(dice.roll(5) as u32 + 1));
    let (who, what) = match (seq, dice.roll(9)) {
        (1, _) => {
            let scenario = Box::new(Scenario::default());
            (Actor::Run, What::RunBegan { scenario, engine: "made up".into() })
        }
        (2, _) => (Actor::Producer, What::Enqueued { first: JobId(1), count: 20, priorities: Vec::new() }),
        (last, _) if last == count => {
            (Actor::Run, What::RunEnded { reason: EndReason::Quiescent, detail: String::new() })
        }
        (_, 0) => (worker, What::PollBegan { poll: 1 }),
        (_, 1) => (worker, What::Sent { statement: StatementId::Claim }),
        (_, 2) => (worker, What::Returned { statement: StatementId::Claim, rows: 1, refusal: None }),
        (_, 3) => {
            let jobs = vec![ClaimedJob { job, attempt: 1, delivery: 1, passed: Vec::new() }];
            (worker, What::Claimed { jobs })
        }
        (_, 4) => (worker, What::WorkBegan { job, attempt: 1, delivery: 1, us: 800 }),
        (_, 5) => (worker, What::WorkEnded { job, delivery: 1, ok: true }),
        (_, 6) => (worker, What::Effect { job, effect: "mail".into(), delivery: 1, repeats: None }),
        (_, 7) => (worker, What::Acked { job }),
        (_, _) => (worker, What::Committed),
    };
    Event { seq, at: seq, who, evidence: Evidence::Executed, what }
}
