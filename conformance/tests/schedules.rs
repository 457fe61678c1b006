//! The recorded schedules, on the simulator: each does what PostgreSQL 15 did, and a record that was tampered with is found out.

use rowlock_conformance::compare::{self, Verdict};
use rowlock_conformance::record::{self, ReadError, Records, Schedule};
use rowlock_conformance::run;
use rowlock_conformance::simulated::Simulated;

const RECORDS: &str = include_str!("records/schedules.jsonl");

fn schedules() -> Vec<Schedule> {
    match record::read(RECORDS) {
        Ok(Records::Schedules(schedules)) => schedules,
        other => panic!("no schedules: {other:?}"),
    }
}

fn verdict(schedule: &Schedule) -> Verdict {
    let trace = run::schedule(&mut Simulated::new(), schedule).expect("the simulator runs");
    compare::schedule(schedule, &trace)
}

#[test]
fn every_schedule_goes_as_it_went_on_postgresql() {
    let all = schedules();
    assert_eq!(all.len(), 500);
    for schedule in &all {
        assert_eq!(verdict(schedule), Verdict::Agrees, "{}", schedule.id);
    }
}

#[test]
fn a_record_that_was_tampered_with_is_found_out() {
    let all = schedules();
    let waits =
        all.iter().find(|one| one.outcome.iter().any(|step| step.blocked_by.is_some())).expect("one that waits");
    let at = waits.outcome.iter().position(|step| step.blocked_by.is_some()).expect("a wait");
    let tamper = |change: &dyn Fn(&mut Schedule)| {
        let mut changed = waits.clone();
        change(&mut changed);
        assert_ne!(verdict(&changed), Verdict::Agrees);
    };
    tamper(&|one| one.outcome[at].waits = Some(false));
    tamper(&|one| one.outcome[at].completes_after = Some(at));
    tamper(&|one| one.outcome[at].blocked_by = Some(vec!["Z".to_owned()]));
    tamper(&|one| one.outcome[at].lock = Some("advisory".to_owned()));
    tamper(&|one| one.outcome[at].sqlstate = Some("40001".to_owned()));
    tamper(&|one| one.waiting[at].clear());
    tamper(&|one| _ = one.end.pop());
}

#[test]
fn a_file_that_is_no_record_is_refused_with_its_line() {
    let damaged = format!("{}\n{{", RECORDS.lines().next().unwrap_or_default());
    assert!(matches!(record::read(&damaged), Err(ReadError::Damaged { line: 2, .. })));
    assert!(matches!(record::read("{\"format\": \"other/2\"}"), Err(ReadError::Foreign { line: 1, .. })));
}
