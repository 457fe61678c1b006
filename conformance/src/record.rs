//! Records of what PostgreSQL did: schedules (one on each line) and specs (one in each file).

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A file that is no record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON of the format.
    #[error("line {line}: {reason}")]
    Damaged {
        /// From 1.
        line: usize,
        /// What was wrong.
        reason: String,
    },
    /// JSON of something else.
    #[error("line {line}: format {found:?}, not \"rowlock-iso/1\"")]
    Foreign {
        /// From 1.
        line: usize,
        /// The format it names.
        found: Option<String>,
    },
}

/// How much of PostgreSQL a record needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Grade {
    /// One table, plain statements, READ COMMITTED.
    A,
    /// Savepoints, sharers, foreign keys too.
    B,
    /// More.
    C,
}

/// What one step of a run came to.
#[derive(Debug, Clone, Deserialize)]
pub struct Outcome {
    /// Its session.
    pub session: String,
    /// `ok` or `error`.
    pub status: String,
    /// Of an error.
    #[serde(default)]
    pub sqlstate: Option<String>,
    /// Whether it had to wait; none if that is no fact.
    #[serde(default)]
    pub waits: Option<bool>,
    /// The position after which it had finished.
    #[serde(default)]
    pub completes_after: Option<usize>,
    /// Whom its first wait was for, if it outlasted its own position.
    #[serde(default)]
    pub blocked_by: Option<Vec<String>>,
    /// pg_locks.locktype of that wait.
    #[serde(default)]
    pub lock: Option<String>,
    /// pg_locks.mode of it.
    #[serde(default)]
    pub lock_mode: Option<String>,
    /// One for each statement.
    #[serde(default)]
    pub results: Vec<StatementResult>,
    /// `exact`, `forced` or `marker`.
    pub timing: String,
}

/// What one statement returned.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct StatementResult {
    /// SQLSTATE of an error.
    #[serde(default)]
    pub error: Option<String>,
    /// Command tag.
    #[serde(default)]
    pub tag: Option<String>,
    /// Column names.
    #[serde(default)]
    pub columns: Option<Vec<String>>,
    /// Rows.
    #[serde(default)]
    pub rows: Option<Vec<Vec<Value>>>,
    /// Whether their order counts.
    #[serde(default)]
    pub ordered: bool,
}

/// Who waits for what.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Waiting {
    /// pg_locks.locktype
    pub lock: String,
    /// pg_locks.mode
    pub mode: String,
    /// pg_blocking_pids, as session names, sorted.
    pub blocked_by: Vec<String>,
}

/// Sessions that wait.
pub type WaitMap = BTreeMap<String, Waiting>;

/// A step to issue.
#[derive(Debug, Clone, Deserialize)]
pub struct Step {
    /// Of a spec's step.
    #[serde(default)]
    pub name: String,
    /// Its session.
    pub session: String,
    /// One message.
    pub sql: String,
}

/// A random schedule on one `jobs` table.
#[derive(Debug, Clone, Deserialize)]
pub struct Schedule {
    /// Its name.
    pub id: String,
    /// Rows at the start.
    pub rows: Vec<Vec<Value>>,
    /// Sessions.
    pub sessions: Vec<String>,
    /// Steps in order.
    pub steps: Vec<Step>,
    /// How much it needs.
    pub grade: Grade,
    /// What came of each.
    pub outcome: Vec<Outcome>,
    /// Who waited after each.
    pub waiting: Vec<WaitMap>,
    /// Rows at the end, by id.
    #[serde(rename = "final")]
    pub end: Vec<Vec<Value>>,
}

/// A table as it stood.
#[derive(Debug, Clone, Deserialize)]
pub struct TableState {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Columns: after the setup with types, at the end by name.
    #[serde(default)]
    pub columns: Vec<Value>,
    /// Rows.
    #[serde(default)]
    pub rows: Option<Vec<Vec<Value>>>,
}

/// A session of a spec.
#[derive(Debug, Clone, Deserialize)]
pub struct SpecSession {
    /// Its name.
    pub name: String,
    /// Statements before the steps.
    pub setup: Vec<String>,
    /// And after them.
    pub teardown: Vec<String>,
}

/// One order of a spec's steps.
#[derive(Debug, Clone, Deserialize)]
pub struct Permutation {
    /// Its number.
    pub index: usize,
    /// Names of the steps.
    pub steps: Vec<String>,
    /// What came of each.
    pub outcome: Vec<Outcome>,
    /// Who waited after each.
    #[serde(default)]
    pub waiting: Vec<WaitMap>,
    /// Tables at the end.
    #[serde(rename = "final", default)]
    pub end: BTreeMap<String, TableState>,
    /// How much it needs.
    pub grade: Grade,
}

/// A spec with its permutations.
#[derive(Debug, Clone, Deserialize)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// Tables after the setup.
    #[serde(default)]
    pub tables: Vec<TableState>,
    /// Messages that make the tables.
    pub setup: Vec<Vec<String>>,
    /// Sessions.
    pub sessions: Vec<SpecSession>,
    /// Steps.
    pub steps: Vec<Step>,
    /// Orders of them.
    pub permutations: Vec<Permutation>,
}

/// A file's records.
#[derive(Debug, Clone)]
pub enum Records {
    /// JSON lines.
    Schedules(Vec<Schedule>),
    /// One spec.
    Spec(Box<Spec>),
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    kind: Option<String>,
}

/// Reads a file's text.
pub fn read(text: &str) -> Result<Records, ReadError> {
    let damaged = |line: usize, error: serde_json::Error| ReadError::Damaged { line, reason: error.to_string() };
    if let Ok(head) = serde_json::from_str::<Head>(text) {
        check(&head, 1)?;
        if head.kind.as_deref() != Some("schedule") {
            let spec = serde_json::from_str(text).map_err(|error| damaged(error.line(), error))?;
            return Ok(Records::Spec(Box::new(spec)));
        }
    }
    let mut schedules = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let head = serde_json::from_str(line).map_err(|error| damaged(n + 1, error))?;
        check(&head, n + 1)?;
        schedules.push(serde_json::from_str(line).map_err(|error| damaged(n + 1, error))?);
    }
    Ok(Records::Schedules(schedules))
}

fn check(head: &Head, line: usize) -> Result<(), ReadError> {
    match head.format.as_deref() {
        Some("rowlock-iso/1") => Ok(()),
        found => Err(ReadError::Foreign { line, found: found.map(str::to_owned) }),
    }
}
