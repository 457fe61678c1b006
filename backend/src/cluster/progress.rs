//! What a cluster tells on its way: one line each, for a terminal or a log.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::Installation;

/// Hears every [`Progress`]; called from the cluster's own thread, so it must not block for long.
pub type ProgressFn = Arc<dyn Fn(&Progress) + Send + Sync>;

/// One step of a cluster's life. `Display` gives the sentence to show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// No server programs were found; the machine's package manager is asked for them.
    Installing {
        /// The command being run.
        command: String,
    },
    /// Started as root: the server runs as an unprivileged account, its files are where that account can reach them.
    RunsAs {
        /// The account's name.
        account: String,
        /// The cache folder.
        dir: PathBuf,
    },
    /// An earlier server's processes are still there, and are being ended first.
    EndingOld {
        /// Their process numbers.
        pids: Vec<u32>,
    },
    /// `initdb` makes a data folder: a second or two, once.
    Initialising {
        /// The data folder.
        dir: PathBuf,
    },
    /// The server is being started.
    Starting {
        /// By which programs.
        installation: Installation,
    },
    /// The server accepts connections.
    Ready {
        /// From the look for leftovers to the first connection being accepted.
        took: Duration,
    },
    /// The server has ended unasked, or a restart has failed; another follows.
    Down {
        /// How.
        why: String,
    },
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Progress::Installing { command } => write!(f, "no PostgreSQL found; running `{command}`"),
            Progress::RunsAs { account, dir } => {
                write!(f, "started as root: PostgreSQL runs as `{account}`, with its files in {}", dir.display())
            }
            Progress::EndingOld { pids } => write!(f, "ending what an earlier server left behind (processes {pids:?})"),
            Progress::Initialising { dir } => write!(f, "making a new database cluster in {}", dir.display()),
            Progress::Starting { installation } => write!(f, "starting PostgreSQL {installation}"),
            Progress::Ready { took } => write!(f, "PostgreSQL is ready after {} ms", took.as_millis()),
            Progress::Down { why } => write!(f, "{why}; starting it again"),
        }
    }
}
