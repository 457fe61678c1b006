//! A PostgreSQL of one's own: found on the machine (or installed), started in the user's cache folder, kept alive,
//! and gone when Rowlock is.
//!
//! [`Cluster::start`](crate::cluster::Cluster::start) is the way in. What holds at all times:
//! - No TCP port is open. The only way in is a Unix socket in a folder that nobody else may enter.
//! - No server process runs as root.
//! - Two Rowlocks never use one data folder: each holds the lock of its slot (`place`).
//! - No server is started on a data folder in which any process still works (`orphans`).
//! - A data folder is complete, or it is not called `data` (`server`).
//! - When this process ends in any way, the server does: at once on Linux (`sys`), elsewhere at the next start.
//!
//! Nothing here speaks SQL or names sqlx: whether the server is ready is read from its pid file, as `pg_ctl` does.

mod account;
mod error;
pub mod find;
mod install;
mod log;
mod orphans;
mod place;
mod progress;
mod server;
mod supervisor;
mod sys;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tokio::sync::{oneshot, watch};

pub use error::ClusterError;
pub use find::Installation;
pub use progress::{Progress, ProgressFn};

use account::Account;
use place::{PORT, Slot};
use server::{DATABASE, MAX_CONNECTIONS, Server, USER};
use supervisor::{Message, Supervisor};

/// How a cluster is to be started. `ClusterOptions::default()` is what a learner gets.
#[derive(Clone)]
pub struct ClusterOptions {
    /// Holds the clusters instead of `rowlock` in the user's cache folder.
    pub cache_dir: Option<PathBuf>,
    /// `true` (default): `fsync`, `synchronous_commit` and `full_page_writes` as PostgreSQL ships them. `false`: fast,
    /// not durable; a crash of the server loses the last commits, a crash of the machine can damage the data folder.
    pub durable: bool,
    /// The server programs to use instead of the newest found.
    pub installation: Option<Installation>,
    /// Told of every step.
    pub progress: ProgressFn,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        ClusterOptions { cache_dir: None, durable: true, installation: None, progress: Arc::new(|_| {}) }
    }
}

impl fmt::Debug for ClusterOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ClusterOptions { cache_dir, durable, installation, progress: _ } = self;
        let mut out = f.debug_struct("ClusterOptions");
        out.field("cache_dir", cache_dir).field("durable", durable).field("installation", installation);
        out.finish_non_exhaustive()
    }
}

/// Whether the server can be used right now.
///
/// A [`watch::Receiver`] sees the latest state only: a crash and a quick restart may show as nothing but a higher
/// generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterState {
    /// On its way up for the first time.
    Starting,
    /// Accepts connections.
    Ready {
        /// 1 after the first start, one more after each restart. Connections of an earlier generation are lost.
        generation: u64,
    },
    /// Has ended unasked; a restart is under way.
    Down {
        /// How it ended, or why the latest restart failed.
        why: String,
    },
    /// Has ended unasked, and several restarts in a row have failed: final.
    Failed {
        /// Why the last one failed, with the end of the server's log.
        why: String,
    },
    /// Was stopped on request: final.
    Stopped,
}

impl ClusterState {
    /// Whether no other state can follow.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, ClusterState::Failed { .. } | ClusterState::Stopped)
    }
}

/// A running private PostgreSQL. Dropping it stops the server and waits for that; prefer [`Cluster::stop`], which does
/// not block the thread.
#[derive(Debug)]
pub struct Cluster {
    installation: Installation,
    data_dir: PathBuf,
    socket_dir: PathBuf,
    log: PathBuf,
    slot: u32,
    durable: bool,
    pid: Arc<AtomicU32>,
    state: watch::Receiver<ClusterState>,
    inbox: Sender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Cluster {
    /// Finds the server programs, takes a free slot, makes its data folder if there is none, and starts the server.
    ///
    /// Dropping the future stops what was begun.
    ///
    /// # Errors
    /// See [`ClusterError`]: each says what was wrong and what to do.
    pub async fn start(options: ClusterOptions) -> Result<Cluster, ClusterError> {
        let progress = Arc::clone(&options.progress);
        let server =
            tokio::task::spawn_blocking(move || settle(options)).await.map_err(|_| ClusterError::Panicked)??;
        let server = Arc::new(server);
        let (state_sender, state) = watch::channel(ClusterState::Starting);
        let pid = Arc::new(AtomicU32::new(0));
        let (supervisor, inbox) = Supervisor::new(Arc::clone(&server), progress, state_sender, Arc::clone(&pid));
        let (sender, first) = oneshot::channel();
        let run = move || supervisor.run(sender);
        let spawned = thread::Builder::new().name("rowlock-cluster".into()).spawn(run);
        let thread = spawned.map_err(|e| server.spawn_error("postgres", e))?;
        let cluster = Cluster {
            installation: server.installation.clone(),
            data_dir: server.data(),
            socket_dir: server.slot.socket_dir(),
            log: server.slot.log(),
            slot: server.slot.number,
            durable: server.durable,
            pid,
            state,
            inbox,
            thread: Mutex::new(Some(thread)),
        };
        // From here on the thread alone holds the slot, and gives it back when it ends.
        drop(server);
        first.await.map_err(|_| ClusterError::Panicked)??;
        Ok(cluster)
    }

    /// Stops the server by its fast shutdown, or harder if that does not help within 10 s, and waits until nothing of
    /// it is left. A second call changes nothing.
    pub async fn stop(&self) {
        // Fails only if the thread has ended, which is what is asked for.
        let _ = self.inbox.send(Message::Stop);
        let _ = self.state.clone().wait_for(ClusterState::is_final).await;
    }

    /// Where to connect, as sqlx and libpq take it: `postgres://user@%2Fsocket%2Ffolder:port/database`.
    #[must_use]
    pub fn url(&self) -> String {
        let host = percent_encoded(self.socket_dir.as_os_str().as_encoded_bytes());
        format!("postgres://{USER}@{host}:{PORT}/{DATABASE}")
    }

    /// The line to type in a shell on this machine, by the same user, to join with psql.
    #[must_use]
    pub fn psql_line(&self) -> String {
        let psql = self.installation.program("psql");
        let in_path = std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join("psql").is_file()));
        let program = if in_path || !psql.is_file() { "psql".into() } else { shell_word(&psql.to_string_lossy()) };
        let host = shell_word(&self.socket_dir.to_string_lossy());
        format!("{program} -h {host} -p {PORT} -U {USER} {DATABASE}")
    }

    /// The current state, and every later one.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ClusterState> {
        self.state.clone()
    }

    /// The server programs in use; their major and minor version are the server's.
    #[must_use]
    pub fn version(&self) -> &Installation {
        &self.installation
    }

    /// The data folder (`PGDATA`).
    #[must_use]
    pub fn data_dir(&self) -> &std::path::Path {
        &self.data_dir
    }

    /// Which of the cache folder's clusters this is: 0, unless other Rowlocks run.
    #[must_use]
    pub fn slot(&self) -> u32 {
        self.slot
    }

    /// Whether the settings are PostgreSQL's durable ones.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.durable
    }

    /// `max_connections` of the server: 200, where PostgreSQL ships 100.
    #[must_use]
    pub fn max_connections(&self) -> u32 {
        MAX_CONNECTIONS
    }

    /// The postmaster's process number; `None` while it is down.
    #[must_use]
    pub fn postmaster_pid(&self) -> Option<u32> {
        Some(self.pid.load(Ordering::Acquire)).filter(|pid| *pid != 0)
    }

    /// The last 30 lines of the server's log; empty if it has said nothing.
    #[must_use]
    pub fn server_log_tail(&self) -> String {
        log::tail(&self.log, 30)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.inbox.send(Message::Stop);
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("{}", ClusterError::Panicked);
        }
    }
}

/// Everything that is decided before the server's own thread begins. Blocks: it starts programs and may install some.
fn settle(options: ClusterOptions) -> Result<Server, ClusterError> {
    let ClusterOptions { cache_dir, durable, installation, progress } = options;
    let installation = match installation {
        Some(installation) => find::newest(&[installation])?,
        None => match find::newest(&find::installations()) {
            Err(ClusterError::NotFound { .. } | ClusterError::Unsupported { .. }) if install::is_possible() => {
                install::install(&progress)?;
                find::newest(&find::installations())?
            }
            found => found?,
        },
    };
    let account = Account::for_server()?;
    let cache = place::cache_folder(cache_dir.as_deref(), account.as_ref(), &progress)?;
    let slot = Slot::take(&cache, installation.major)?;
    Ok(Server { installation, account, slot, durable })
}

/// Escapes all but the unreserved characters of RFC 3986.
fn percent_encoded(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            out.push(char::from(*byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Quotes for a POSIX shell, if need be.
fn shell_word(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || "-._/:@%+=".contains(c)) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_folder_is_escaped_for_a_url_and_for_a_shell() {
        assert_eq!(percent_encoded("/srv/ann marie/ü".as_bytes()), "%2Fsrv%2Fann%20marie%2F%C3%BC");
        assert_eq!(shell_word("/srv/ann/.cache"), "/srv/ann/.cache");
        assert_eq!(shell_word("/it's here"), r"'/it'\''s here'");
    }
}
