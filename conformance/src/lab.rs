//! What an engine has to offer, so that a record can be run on it.

use crate::record::{StatementResult, WaitMap};

/// Why an engine could not go on: it, not the record, is at fault.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LabError(pub String);

/// How waits are told from statements that still run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As schedules were recorded: deadlock_timeout 10 ms, and after each step 26 ms in the same wait.
    Schedule,
    /// As isolationtester does: a wait that is seen is a wait; time passes only when nothing else can be done.
    Spec,
}

/// An engine with sessions.
pub trait Lab {
    /// Empties the database and closes all sessions.
    fn reset(&mut self, pace: Pace) -> Result<(), LabError>;

    /// Runs a message outside the sessions; what fails in it is returned as its last result.
    fn admin(&mut self, sql: &str) -> Result<Vec<StatementResult>, LabError>;

    /// Opens a session.
    fn open(&mut self, session: &str) -> Result<(), LabError>;

    /// Sends a message; the session must not have one in flight.
    fn issue(&mut self, session: &str, sql: &str) -> Result<(), LabError>;

    /// Waits until each message in flight has finished or stands in a wait, and returns who waits.
    fn settle(&mut self) -> Result<WaitMap, LabError>;

    /// Lets time pass until something changes; false if nothing will.
    fn pass_time(&mut self) -> Result<bool, LabError>;

    /// A finished message's results, once.
    fn take(&mut self, session: &str) -> Option<Vec<StatementResult>>;

    /// Messages with which the engine refused something as outside its subset, since the last reset.
    fn refusals(&self) -> Vec<String>;
}
