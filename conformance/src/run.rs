//! Runs a record on a lab: the one body for schedules and specs.

use crate::lab::{Lab, LabError, Pace};
use crate::record::{Permutation, Schedule, Spec, StatementResult, Step, TableState, WaitMap};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a step came to here.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Its session.
    pub session: String,
    /// It was still in flight after its own position, or failed as a deadlock's victim.
    pub waits: bool,
    /// The position after which it had finished; none: it never did.
    pub completes_after: Option<usize>,
    /// Its wait after its own position.
    pub wait: Option<crate::record::Waiting>,
    /// Results.
    pub results: Vec<StatementResult>,
}

/// What a run came to here.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// For each position.
    pub steps: Vec<Seen>,
    /// Who waits after each position.
    pub waiting: Vec<WaitMap>,
    /// Tables at the end: columns and rows.
    pub end: BTreeMap<String, StatementResult>,
    /// Why it ended early.
    pub stuck: Option<String>,
    /// What the engine refused as outside its subset.
    pub refusals: Vec<String>,
}

struct Runner<'a, L> {
    lab: &'a mut L,
    trace: Trace,
    /// Position of the message in flight of each session.
    flight: BTreeMap<String, usize>,
}

impl<L: Lab> Runner<'_, L> {
    fn collect(&mut self, now: usize) {
        let done: Vec<(String, usize)> = self.flight.iter().map(|(name, pos)| (name.clone(), *pos)).collect();
        for (name, pos) in done {
            if let Some(results) = self.lab.take(&name) {
                self.flight.remove(&name);
                self.trace.steps[pos].results = results;
                self.trace.steps[pos].completes_after = Some(now);
            }
        }
    }

    fn step(&mut self, step: &Step, pace: Pace) -> Result<bool, LabError> {
        let pos = self.trace.steps.len();
        while self.flight.contains_key(&step.session) {
            if pace == Pace::Schedule || !self.lab.pass_time()? {
                self.trace.stuck = Some(format!("position {pos}: session {} still waits", step.session));
                return Ok(false);
            }
            let waiting = self.lab.settle()?;
            self.collect(pos.saturating_sub(1));
            if let Some(last) = self.trace.waiting.last_mut() {
                *last = waiting;
            }
        }
        self.trace.steps.push(Seen { session: step.session.clone(), ..Seen::default() });
        self.lab.issue(&step.session, &step.sql)?;
        self.flight.insert(step.session.clone(), pos);
        let waiting = self.lab.settle()?;
        self.collect(pos);
        let seen = &mut self.trace.steps[pos];
        if self.flight.contains_key(&step.session) {
            seen.waits = true;
            seen.wait = waiting.get(&step.session).cloned();
        } else if pace == Pace::Schedule {
            // It waited for as long as the deadlock check took.
            seen.waits = seen.results.iter().any(|result| result.error.as_deref() == Some("40P01"));
        }
        self.trace.waiting.push(waiting);
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), LabError> {
        let last = self.trace.steps.len().saturating_sub(1);
        while !self.flight.is_empty() {
            if !self.lab.pass_time()? {
                self.trace.stuck = Some(format!("{:?} still wait at the end", self.flight.keys()));
                break;
            }
            let waiting = self.lab.settle()?;
            self.collect(last);
            if let Some(end) = self.trace.waiting.last_mut() {
                *end = waiting;
            }
        }
        Ok(())
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("'{}'", text.replace('\'', "''")),
        other => format!("'{}'", other.to_string().replace('\'', "''")),
    }
}

fn insert(table: &str, rows: &[Vec<Value>]) -> String {
    let rows: Vec<String> =
        rows.iter().map(|row| format!("({})", row.iter().map(literal).collect::<Vec<_>>().join(", "))).collect();
    include_str!("../sql/insert.sql").replace("{{table}}", table).replace("{{rows}}", &rows.join(", "))
}

fn admin<L: Lab>(lab: &mut L, sql: &str) -> Result<Option<String>, LabError> {
    let results = lab.admin(sql)?;
    Ok(results.into_iter().find_map(|result| result.error))
}

/// Runs a schedule.
pub fn schedule<L: Lab>(lab: &mut L, schedule: &Schedule) -> Result<Trace, LabError> {
    lab.reset(Pace::Schedule)?;
    admin(lab, include_str!("../sql/jobs.sql"))?;
    if !schedule.rows.is_empty() {
        admin(lab, &insert("jobs", &schedule.rows))?;
    }
    for session in &schedule.sessions {
        lab.open(session)?;
    }
    let mut runner = Runner { lab, trace: Trace::default(), flight: BTreeMap::new() };
    for step in &schedule.steps {
        if !runner.step(step, Pace::Schedule)? {
            break;
        }
    }
    if runner.trace.stuck.is_none() {
        runner.finish()?;
    }
    let mut trace = runner.trace;
    let end = lab.admin(include_str!("../sql/jobs_end.sql"))?;
    trace.end.extend(end.into_iter().next_back().map(|result| ("jobs".to_owned(), result)));
    trace.refusals = lab.refusals();
    Ok(trace)
}

/// Runs one permutation of a spec, from a fresh setup.
pub fn permutation<L: Lab>(lab: &mut L, spec: &Spec, permutation: &Permutation) -> Result<Trace, LabError> {
    lab.reset(Pace::Spec)?;
    let mut failed = None;
    for block in &spec.setup {
        for sql in block {
            if let Some(error) = admin(lab, sql)? {
                failed = Some(format!("setup: {error} in {sql}"));
            }
        }
    }
    for table in &spec.tables {
        restore(lab, table)?;
    }
    for session in &spec.sessions {
        lab.open(&session.name)?;
    }
    let mut runner = Runner { lab, trace: Trace { stuck: failed, ..Trace::default() }, flight: BTreeMap::new() };
    for session in &spec.sessions {
        for sql in &session.setup {
            runner.lab.issue(&session.name, sql)?;
            runner.lab.settle()?;
            let results = runner.lab.take(&session.name).unwrap_or_default();
            if let Some(error) = results.into_iter().find_map(|result| result.error) {
                runner.trace.stuck = Some(format!("setup of {}: {error} in {sql}", session.name));
            }
        }
    }
    if runner.trace.stuck.is_none() {
        for name in &permutation.steps {
            let Some(step) = spec.steps.iter().find(|step| step.name == *name) else {
                runner.trace.stuck = Some(format!("no step {name}"));
                break;
            };
            if !runner.step(step, Pace::Spec)? {
                break;
            }
        }
    }
    if runner.trace.stuck.is_none() {
        runner.finish()?;
    }
    let mut trace = runner.trace;
    for session in &spec.sessions {
        for sql in &session.teardown {
            lab.issue(&session.name, sql)?;
            lab.settle()?;
            lab.take(&session.name);
        }
    }
    for (name, table) in &permutation.end {
        if table.rows.is_some() {
            let rows = lab.admin(&include_str!("../sql/table.sql").replace("{{table}}", name))?;
            trace.end.extend(rows.into_iter().next_back().map(|result| (name.clone(), result)));
        }
    }
    trace.refusals = lab.refusals();
    Ok(trace)
}

/// Makes a table that the record has and the setup did not make.
fn restore<L: Lab>(lab: &mut L, table: &TableState) -> Result<(), LabError> {
    if admin(lab, &include_str!("../sql/probe.sql").replace("{{table}}", &table.name))?.is_none() {
        return Ok(());
    }
    let text = |column: &Value, key: &str| column.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let columns: Vec<String> =
        table.columns.iter().map(|column| format!("{} {}", text(column, "name"), text(column, "type"))).collect();
    admin(
        lab,
        &include_str!("../sql/create.sql")
            .replace("{{table}}", &table.name)
            .replace("{{columns}}", &columns.join(", ")),
    )?;
    if let Some(rows) = table.rows.as_ref().filter(|rows| !rows.is_empty()) {
        admin(lab, &insert(&table.name, rows))?;
    }
    Ok(())
}
