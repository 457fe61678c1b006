//! Where a run differs from its record.

use crate::record::{Grade, Outcome, Permutation, Schedule, StatementResult, WaitMap};
use crate::run::{Seen, Trace};
use serde_json::Value;

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Position, or the end.
    pub step: Option<usize>,
    /// Of what.
    pub what: &'static str,
    /// In the record.
    pub expected: String,
    /// Here.
    pub got: String,
}

/// How a run compares with its record.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// In everything that is a fact.
    Agrees,
    /// The engine refused something by name; only where the record needs more than grade B.
    Refused(Vec<String>),
    /// Not.
    Differs(Vec<Difference>),
}

/// Compares a schedule's run.
pub fn schedule(record: &Schedule, trace: &Trace) -> Verdict {
    let mut differences = compare(&record.outcome, &record.waiting, trace);
    let rows = trace.end.get("jobs").and_then(|result| result.rows.clone()).unwrap_or_default();
    note(&mut differences, None, "final rows", &show_rows(&record.end), &show_rows(&rows));
    verdict(differences, trace, record.grade)
}

/// Compares a permutation's run.
pub fn permutation(record: &Permutation, trace: &Trace) -> Verdict {
    let mut differences = compare(&record.outcome, &record.waiting, trace);
    for (name, table) in &record.end {
        let Some(expected) = &table.rows else { continue };
        let got = trace.end.get(name).and_then(|result| result.rows.clone()).unwrap_or_default();
        let (mut expected, mut got) = (lines(expected), lines(&got));
        expected.sort();
        got.sort();
        note(
            &mut differences,
            None,
            "final rows",
            &format!("{name}: {}", expected.join(" ")),
            &format!("{name}: {}", got.join(" ")),
        );
    }
    verdict(differences, trace, record.grade)
}

fn verdict(differences: Vec<Difference>, trace: &Trace, grade: Grade) -> Verdict {
    if differences.is_empty() && trace.stuck.is_none() {
        Verdict::Agrees
    } else if grade == Grade::C && !trace.refusals.is_empty() {
        Verdict::Refused(trace.refusals.clone())
    } else {
        let mut differences = differences;
        if let Some(stuck) = &trace.stuck {
            differences.insert(
                0,
                Difference { step: None, what: "run", expected: "to its end".to_owned(), got: stuck.clone() },
            );
        }
        Verdict::Differs(differences)
    }
}

fn note(differences: &mut Vec<Difference>, step: Option<usize>, what: &'static str, expected: &str, got: &str) {
    if expected != got {
        differences.push(Difference { step, what, expected: expected.to_owned(), got: got.to_owned() });
    }
}

fn compare(outcomes: &[Outcome], waiting: &[WaitMap], trace: &Trace) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (pos, expected) in outcomes.iter().enumerate() {
        match trace.steps.get(pos) {
            Some(seen) => compare_step(&mut differences, pos, expected, seen),
            None => note(&mut differences, Some(pos), "step", "issued", "never issued"),
        }
    }
    // Sessions in a step whose waiting is no fact are left out.
    let forced: Vec<(usize, usize, &str)> = outcomes
        .iter()
        .enumerate()
        .filter(|(_, outcome)| outcome.timing == "forced")
        .map(|(pos, outcome)| (pos, outcome.completes_after.unwrap_or(usize::MAX), &*outcome.session))
        .collect();
    for (pos, (expected, got)) in waiting.iter().zip(&trace.waiting).enumerate() {
        let counts =
            |session: &str| !forced.iter().any(|(from, to, name)| *name == session && (*from..=*to).contains(&pos));
        let show = |map: &WaitMap| {
            let waits = map.iter().filter(|(session, _)| counts(session));
            let waits: Vec<String> = waits
                .map(|(session, wait)| format!("{session}: {} {} {:?}", wait.lock, wait.mode, wait.blocked_by))
                .collect();
            waits.join("; ")
        };
        note(&mut differences, Some(pos), "waiting", &show(expected), &show(got));
    }
    differences
}

fn compare_step(differences: &mut Vec<Difference>, pos: usize, expected: &Outcome, seen: &Seen) {
    let error = seen.results.iter().find_map(|result| result.error.clone());
    note(differences, Some(pos), "SQLSTATE", &format!("{:?}", expected.sqlstate), &format!("{error:?}"));
    let show = |results: &[StatementResult], like: &[StatementResult]| {
        let shown = results.iter().enumerate().map(|(n, result)| show_result(result, like.get(n)));
        shown.collect::<Vec<_>>().join(" | ")
    };
    let (want, got) = (show(&expected.results, &expected.results), show(&seen.results, &expected.results));
    note(differences, Some(pos), "results", &want, &got);
    if expected.timing != "exact" {
        return;
    }
    if let Some(waits) = expected.waits {
        note(differences, Some(pos), "waits", &waits.to_string(), &seen.waits.to_string());
    }
    note(
        differences,
        Some(pos),
        "completes after",
        &format!("{:?}", expected.completes_after),
        &format!("{:?}", seen.completes_after),
    );
    if let Some(blocked_by) = &expected.blocked_by {
        let got = seen.wait.as_ref().map(|wait| wait.blocked_by.clone()).unwrap_or_default();
        note(differences, Some(pos), "blocked by", &format!("{blocked_by:?}"), &format!("{got:?}"));
        let got = seen.wait.as_ref().map(|wait| (Some(wait.lock.clone()), Some(wait.mode.clone()))).unwrap_or_default();
        note(
            differences,
            Some(pos),
            "lock",
            &format!("{:?}", (&expected.lock, &expected.lock_mode)),
            &format!("{:?}", (&got.0, &got.1)),
        );
    }
}

fn show_result(result: &StatementResult, like: Option<&StatementResult>) -> String {
    if let Some(error) = &result.error {
        return error.clone();
    }
    let Some(rows) = &result.rows else { return result.tag.clone().unwrap_or_default() };
    let mut rows = lines(rows);
    if !like.is_some_and(|like| like.ordered) {
        rows.sort();
    }
    format!("{} {}", result.tag.as_deref().unwrap_or_default(), rows.join(" "))
}

fn lines(rows: &[Vec<Value>]) -> Vec<String> {
    rows.iter().map(|row| Value::Array(row.clone()).to_string()).collect()
}

fn show_rows(rows: &[Vec<Value>]) -> String {
    lines(rows).join(" ")
}
