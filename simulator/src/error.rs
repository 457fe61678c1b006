//! Errors as PostgreSQL raises them.

/// An error of a statement, with PostgreSQL's SQLSTATE.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SqlError {
    /// Five characters, PostgreSQL 15 manual, appendix A.
    pub sqlstate: &'static str,
    /// What was wrong, for people.
    pub message: String,
    /// The server routine that raises it, where that tells two errors of one SQLSTATE apart
    /// (`heap_lock_tuple` for NOWAIT, `ProcessInterrupts` for lock_timeout).
    pub routine: Option<&'static str>,
}

impl SqlError {
    /// An error.
    pub fn new(sqlstate: &'static str, message: impl Into<String>) -> SqlError {
        SqlError { sqlstate, message: message.into(), routine: None }
    }

    /// The same, raised by a routine.
    pub fn by(mut self, routine: &'static str) -> SqlError {
        self.routine = Some(routine);
        self
    }

    /// 0A000: PostgreSQL can, or may, do this; the simulator does not. `what` is a noun phrase.
    pub fn outside_subset(what: impl std::fmt::Display) -> SqlError {
        SqlError::new("0A000", format!("the simulator does not support {what}"))
    }
}
