//! A round of the queue program as a list of steps, and where a worker stands in it.

use rowlock_shared::scenario::{Mode, Scenario, Shape};
use rowlock_shared::sql::StatementId;
use rowlock_shared::world::{Activity, WorkerView};

/// A step of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A statement.
    Sql(StatementId),
    /// The work itself.
    Work,
}

/// The steps of a round that brings a job.
fn steps(scenario: &Scenario) -> Vec<Step> {
    use StatementId::{Ack, Begin, Claim, ClaimAdvisory, Commit, NaiveSelect, NaiveUpdate};
    let claim = match scenario.mode {
        Mode::Naive | Mode::NaiveGuarded => vec![NaiveSelect, NaiveUpdate],
        Mode::Advisory | Mode::AdvisoryUnguarded => vec![ClaimAdvisory],
        Mode::ForUpdate | Mode::SkipLocked | Mode::Nowait => vec![Claim],
    };
    let mut steps = vec![Step::Sql(Begin)];
    steps.extend(claim.into_iter().map(Step::Sql));
    match scenario.shape {
        Shape::Hold => steps.push(Step::Work),
        Shape::ClaimCommit => steps.extend([Step::Sql(Commit), Step::Work, Step::Sql(Begin)]),
    }
    steps.extend([Step::Sql(Ack), Step::Sql(Commit)]);
    steps
}

/// The steps of a worker's round, and the one at which it stands. A retry or a dead letter takes the place of the ack;
/// what follows an empty or failed claim stands at the end.
pub(super) fn place(worker: &WorkerView, scenario: &Scenario) -> (Vec<Step>, Option<usize>) {
    let mut steps = steps(scenario);
    let work = steps.iter().position(|step| *step == Step::Work);
    let at = match (&worker.activity, worker.session.statement) {
        (Activity::Working { .. } | Activity::Hung { .. }, _) => work,
        (Activity::Polling | Activity::Settling { .. }, Some(statement)) => {
            let settling = matches!(worker.activity, Activity::Settling { .. });
            if matches!(statement, StatementId::Requeue | StatementId::DeadLetter)
                && let Some(ack) = steps.iter_mut().find(|step| **step == Step::Sql(StatementId::Ack))
            {
                *ack = Step::Sql(statement);
            }
            let from = if settling { work.unwrap_or(0) } else { 0 };
            let found = steps.iter().skip(from).position(|step| *step == Step::Sql(statement));
            if found.is_none() {
                steps.push(Step::Sql(statement));
            }
            Some(found.map_or(steps.len() - 1, |index| index + from))
        }
        _ => None,
    };
    (steps, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowlock_shared::event::{Event, Evidence, What};
    use rowlock_shared::ids::{Actor, JobId, WorkerId};
    use rowlock_shared::world::World;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn the_two_commits_of_a_round_are_told_apart() {
        let scenario = Scenario { shape: Shape::ClaimCommit, ..Scenario::default() };
        let mut world = World::new();
        let mut tell = |who, what| {
            let seq = world.seq + 1;
            world.apply(&Event { seq, at: seq, who, evidence: Evidence::Executed, what });
            world.worker(WorkerId(1)).and_then(|worker| place(worker, &scenario).1)
        };
        let a = Actor::Worker(WorkerId(1));
        let (job, delivery) = (JobId(1), 1);
        tell(Actor::Run, What::RunBegan { scenario: Box::new(scenario.clone()), engine: String::new() });
        tell(a, What::PollBegan { poll: 1 });
        assert_eq!(tell(a, What::Sent { statement: StatementId::Claim }), Some(1));
        assert_eq!(tell(a, What::Sent { statement: StatementId::Commit }), Some(2));
        assert_eq!(tell(a, What::WorkBegan { job, attempt: 1, delivery, us: 5 }), Some(3));
        tell(a, What::WorkEnded { job, delivery, ok: true });
        assert_eq!(tell(a, What::Sent { statement: StatementId::Begin }), Some(4));
        assert_eq!(tell(a, What::Sent { statement: StatementId::Requeue }), Some(5));
        assert_eq!(tell(a, What::Sent { statement: StatementId::Commit }), Some(6));
        tell(a, What::PollBegan { poll: 2 });
        assert_eq!(tell(a, What::Sent { statement: StatementId::Rollback }), Some(7), "not part of a good round");
    }
}
