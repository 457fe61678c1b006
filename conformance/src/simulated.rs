//! The simulator's lab. Time stands still but where a record lets it pass.

use crate::lab::{Lab, LabError, Pace};
use crate::record::{StatementResult, WaitMap, Waiting};
use rowlock_simulator::database::{Database, Output, Progress, Reply};
use rowlock_simulator::expr::output_text;
use rowlock_simulator::locks::SessionId;
use rowlock_simulator::value::{Datum, Scalar, Type};
use serde_json::Value;
use std::collections::BTreeMap;

/// How long a schedule's recorder watched a wait before it believed in it, µs.
const SETTLE: i64 = 26_000;

/// A simulated database with named sessions.
pub struct Simulated {
    database: Database,
    admin: SessionId,
    sessions: BTreeMap<String, SessionId>,
    finished: BTreeMap<SessionId, Reply>,
    pace: Pace,
    now: i64,
    refusals: Vec<String>,
}

impl Default for Simulated {
    fn default() -> Simulated {
        Simulated::new()
    }
}

impl Simulated {
    /// An empty one.
    pub fn new() -> Simulated {
        let mut database = Database::new();
        let admin = database.connect("admin", 0);
        Simulated {
            database,
            admin,
            sessions: BTreeMap::new(),
            finished: BTreeMap::new(),
            pace: Pace::Spec,
            now: 0,
            refusals: Vec::new(),
        }
    }

    fn record(&mut self, session: SessionId, progress: Progress) {
        if let Progress::Done(reply) = progress {
            if let Some(error) = reply.error.as_ref().filter(|error| error.sqlstate == "0A000")
                && error.message.contains("the simulator does not support")
            {
                self.refusals.push(error.message.clone());
            }
            self.finished.insert(session, reply);
        }
    }

    fn run(&mut self) {
        while let Some(session) = self.database.next_runnable() {
            let progress = self.database.resume(session, self.now);
            self.record(session, progress);
        }
    }

    fn name_of(&self, id: SessionId) -> String {
        self.sessions
            .iter()
            .find(|(_, session)| **session == id)
            .map_or_else(|| "other".to_owned(), |(name, _)| name.clone())
    }
}

impl Lab for Simulated {
    fn reset(&mut self, pace: Pace) -> Result<(), LabError> {
        *self = Simulated { pace, ..Simulated::new() };
        Ok(())
    }

    fn admin(&mut self, sql: &str) -> Result<Vec<StatementResult>, LabError> {
        let progress = self.database.send(self.admin, sql, Vec::new(), self.now);
        self.record(self.admin, progress);
        self.run();
        let reply = self.finished.remove(&self.admin).ok_or_else(|| LabError(format!("{sql} waits")))?;
        Ok(results(&reply))
    }

    fn open(&mut self, session: &str) -> Result<(), LabError> {
        let id = self.database.connect(session, self.now);
        self.sessions.insert(session.to_owned(), id);
        if self.pace == Pace::Schedule {
            self.database.send(id, "SET deadlock_timeout = '10ms'", Vec::new(), self.now);
        }
        Ok(())
    }

    fn issue(&mut self, session: &str, sql: &str) -> Result<(), LabError> {
        let id = *self.sessions.get(session).ok_or_else(|| LabError(format!("no session {session}")))?;
        let progress = self.database.send(id, sql, Vec::new(), self.now);
        self.record(id, progress);
        Ok(())
    }

    fn settle(&mut self) -> Result<WaitMap, LabError> {
        self.run();
        if self.pace == Pace::Schedule {
            let until = self.now + SETTLE;
            while self.database.fire(until) {
                self.run();
            }
            self.now = until;
        }
        let mut waits = WaitMap::new();
        for (name, id) in &self.sessions {
            if let Some(wait) = self.database.wait_of(*id) {
                let mut blocked_by: Vec<String> = wait.blockers.iter().map(|blocker| self.name_of(*blocker)).collect();
                blocked_by.sort();
                waits.insert(
                    name.clone(),
                    Waiting { lock: wait.tag.locktype().to_owned(), mode: wait.mode.to_owned(), blocked_by },
                );
            }
        }
        Ok(waits)
    }

    fn pass_time(&mut self) -> Result<bool, LabError> {
        let Some(at) = self.database.next_deadline() else { return Ok(false) };
        self.now = self.now.max(at);
        Ok(self.database.fire(self.now))
    }

    fn take(&mut self, session: &str) -> Option<Vec<StatementResult>> {
        let id = self.sessions.get(session)?;
        self.finished.remove(id).map(|reply| results(&reply))
    }

    fn refusals(&self) -> Vec<String> {
        self.refusals.clone()
    }
}

fn results(reply: &Reply) -> Vec<StatementResult> {
    let failed = reply
        .error
        .as_ref()
        .map(|error| StatementResult { error: Some(error.sqlstate.to_owned()), ..StatementResult::default() });
    reply.outputs.iter().map(result).chain(failed).collect()
}

fn result(output: &Output) -> StatementResult {
    let returns = !output.columns.is_empty() || output.tag.starts_with("SELECT");
    StatementResult {
        error: None,
        tag: Some(output.tag.clone()),
        columns: returns.then(|| output.columns.iter().map(|(name, _)| name.clone()).collect()),
        rows: returns.then(|| {
            output
                .rows
                .iter()
                .map(|row| row.iter().zip(output.columns.iter()).map(|(value, (_, ty))| cell(value, *ty)).collect())
                .collect()
        }),
        ordered: false,
    }
}

/// A value as the records write it: numbers and booleans as such, all else as PostgreSQL prints it.
fn cell(value: &Datum, ty: Type) -> Value {
    match value {
        Datum::Null => Value::Null,
        Datum::Bool(value) => Value::Bool(*value),
        Datum::Int(n) if !ty.array && matches!(ty.scalar, Scalar::Int2 | Scalar::Int4 | Scalar::Int8) => {
            Value::from(*n)
        }
        other => Value::String(output_text(other, ty)),
    }
}
