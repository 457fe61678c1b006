//! How much of everything.

use crate::live::Keep;
use std::time::Duration;

/// The caps of a server. The defaults suit a laptop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most runs at once.
    pub runs: u32,
    /// Most viewers of one run at once: a class and its teacher.
    pub viewers: u32,
    /// Most ended runs in memory; others are read from the database when someone asks. A long one takes up to 200 MB.
    pub in_memory: usize,
    /// How many finished runs the database keeps.
    pub keep: Keep,
    /// How long the schema of the last run stays after its end, so that a psql can look at it. The schemas of earlier runs
    /// go when another run ends, all of them when the server does.
    pub schema_expiry: Duration,
    /// How long a start waits for a database that is coming back.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            runs: 4,
            viewers: 256,
            in_memory: 8,
            keep: Keep::default(),
            schema_expiry: Duration::from_secs(3600),
            patience: Duration::from_secs(8),
        }
    }
}
