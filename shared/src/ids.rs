//! Names for the things a run is made of.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A job's primary key. A run numbers its jobs 1, 2, 3 … in the order of their arrival; preloaded history has
/// numbers above [`HISTORY_BASE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u32);

/// Done jobs that are loaded before a run starts have ids above this one, so that they never mix with the run's own.
pub const HISTORY_BASE: u32 = 1_000_000;

/// The largest id that the fold makes room for: a person may insert rows by hand, but not a row number 900,000.
pub const MAX_JOB: u32 = 20_000;

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A worker, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkerId(pub u32);

impl WorkerId {
    /// The position in a list of workers (from 0).
    pub fn index(self) -> usize {
        self.0.saturating_sub(1) as usize
    }

    /// The letter that stands for the worker everywhere on the page: A … Z for the first 26, then A2, B2 …
    pub fn letter(self) -> String {
        let n = self.0.saturating_sub(1);
        let letter = char::from(b'A' + (n % 26) as u8);
        match n / 26 {
            0 => letter.to_string(),
            round => format!("{letter}{}", round + 1),
        }
    }

    /// The name that the worker writes into `jobs.worker` and into `application_name`.
    pub fn name(self) -> String {
        format!("worker-{}", self.letter())
    }

    /// The inverse of [`WorkerId::name`].
    pub fn from_name(name: &str) -> Option<WorkerId> {
        let rest = name.strip_prefix("worker-")?;
        let letter = *rest.as_bytes().first().filter(|b| b.is_ascii_uppercase())?;
        let round = match &rest[1..] {
            "" => 1,
            digits => digits.parse::<u32>().ok().filter(|n| (2..=3).contains(n))?,
        };
        Some(WorkerId(u32::from(letter - b'A') + (round - 1) * 26 + 1))
    }
}

/// Who did something. Everyone that has a connection of their own is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Actor {
    /// Claims jobs and does them.
    Worker(WorkerId),
    /// Puts jobs on the queue.
    Producer,
    /// Brings back jobs whose lease has run out.
    Reaper,
    /// Extends the leases of the jobs in work.
    Heartbeat,
    /// Waits for NOTIFY and wakes the workers.
    Listener,
    /// Holds an old snapshot open and does nothing.
    Bystander,
    /// The small pool through which effects reach the ledger.
    Outside,
    /// Watches the run through the system views.
    Observer,
    /// The run itself: preparation, the question whether anything can still change.
    Run,
    /// A backend that the run did not start: a person's psql, another program.
    Stranger {
        /// Its process id on the server.
        pid: i32,
    },
}

impl Actor {
    /// The worker, if this is one.
    pub fn worker(self) -> Option<WorkerId> {
        match self {
            Actor::Worker(id) => Some(id),
            _ => None,
        }
    }

    /// A short mark for tables and logs: a letter for workers, a word otherwise.
    pub fn mark(self) -> String {
        match self {
            Actor::Worker(id) => id.letter(),
            Actor::Producer => "producer".into(),
            Actor::Reaper => "reaper".into(),
            Actor::Heartbeat => "heartbeat".into(),
            Actor::Listener => "listener".into(),
            Actor::Bystander => "bystander".into(),
            Actor::Outside => "outside".into(),
            Actor::Observer => "observer".into(),
            Actor::Run => "run".into(),
            Actor::Stranger { pid } => format!("pid {pid}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_has_its_own_name_that_reads_back() {
        for n in 1..=64 {
            assert_eq!(WorkerId::from_name(&WorkerId(n).name()), Some(WorkerId(n)));
        }
        assert_eq!(WorkerId(27).letter(), "A2");
        for bad in ["", "worker-", "worker-a", "worker-A1", "worker-A9", "psql"] {
            assert_eq!(WorkerId::from_name(bad), None, "{bad}");
        }
    }
}
