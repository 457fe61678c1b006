//! Why there is no database: one sentence each, with the value at fault and what to do about it.

use std::path::PathBuf;

/// Why the private cluster could not be found, made, started or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// No folder with both `initdb` and `postgres` was found.
    #[error(
        "no PostgreSQL server programs (initdb, postgres) found; {hint}, name their folder in ROWLOCK_PG_BIN, \
         or set DATABASE_URL to use a server of your own"
    )]
    NotFound {
        /// What to type on this operating system.
        hint: &'static str,
    },
    /// Server programs were found, but of no version that Rowlock knows.
    #[error("PostgreSQL {found} is not supported: Rowlock needs a version from 14 to 18; {hint}")]
    Unsupported {
        /// The versions found, with their folders.
        found: String,
        /// What to type on this operating system.
        hint: &'static str,
    },
    /// `ROWLOCK_PG_BIN` is set, but names a folder without usable server programs.
    #[error(
        "ROWLOCK_PG_BIN is `{}`, which holds no working initdb and postgres; name the folder that does, or unset it",
        .dir.display()
    )]
    BadBinFolder {
        /// The value of the variable.
        dir: PathBuf,
    },
    /// The package manager could not install the server programs.
    #[error("`{command}` failed: {why}; {hint}")]
    Install {
        /// The command that failed.
        command: String,
        /// Its last lines of output, or why it did not run.
        why: String,
        /// What to type on this operating system.
        hint: &'static str,
    },
    /// Started as root, but no account was found to run the server as.
    #[error(
        "PostgreSQL does not run as root, and neither of the accounts `postgres` and `nobody` exists; \
         create one (`useradd --system postgres`) or start Rowlock as an ordinary user"
    )]
    NoAccount,
    /// The chosen cache folder cannot be entered by the account that runs the server.
    #[error(
        "the cache folder `{}` cannot be entered by the account `{account}` that runs PostgreSQL; \
         choose a folder whose parents all grant x to others, such as /var/cache/rowlock",
        .dir.display()
    )]
    Unreachable {
        /// The cache folder that was asked for.
        dir: PathBuf,
        /// The account's name.
        account: String,
    },
    /// Neither `XDG_CACHE_HOME` nor `HOME` says where the cache folder is.
    #[error("no cache folder: neither XDG_CACHE_HOME nor HOME is set; set one or choose a cache folder")]
    NoHome,
    /// A file or folder of the cluster could not be used.
    #[error("cannot {action} `{}`: {source}; check its owner and the space left on its disk", .path.display())]
    Folder {
        /// What was tried: "create", "open", …
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Every slot of the cache folder is locked by another running Rowlock.
    #[error("all {count} clusters under `{}` are in use by other Rowlocks; stop one of them", .root.display())]
    NoSlot {
        /// The folder of the slots.
        root: PathBuf,
        /// How many slots there are.
        count: u32,
    },
    /// A program could not be started at all.
    #[error("cannot start `{}`: {source}; check that the account that runs PostgreSQL may execute it", .program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// `initdb` failed.
    #[error("initdb could not make the data folder `{}` ({why}); its last words:\n{tail}", .dir.display())]
    InitDb {
        /// The data folder being made.
        dir: PathBuf,
        /// How it ended.
        why: String,
        /// The last lines it printed.
        tail: String,
    },
    /// The server ended, or did not become ready, while it was being started.
    #[error(
        "PostgreSQL did not start: {why}; if its data is damaged, delete `{}` to begin with an empty one; \
         the end of its log `{}`:\n{tail}",
        .data_dir.display(), .log.display()
    )]
    ServerFailed {
        /// How it ended, or how long it was waited for.
        why: String,
        /// The data folder.
        data_dir: PathBuf,
        /// The log file.
        log: PathBuf,
        /// The last lines of the log.
        tail: String,
    },
    /// A server that an earlier Rowlock left behind does not end.
    #[error("the processes {pids:?} of an earlier server still use `{}` and do not end; end them and try again", .data_dir.display())]
    OldServer {
        /// The processes.
        pids: Vec<u32>,
        /// The data folder they use.
        data_dir: PathBuf,
    },
    /// [`Cluster::stop`](super::Cluster::stop) was called, or the cluster dropped, before it was ready.
    #[error("the cluster was stopped before it was ready")]
    Stopped,
    /// The thread or task that does the work ended without a word: a defect of Rowlock.
    #[error("the thread that looks after PostgreSQL has panicked; this is a defect of Rowlock, please report it")]
    Panicked,
}

impl ClusterError {
    /// For `map_err`: the [`ClusterError::Folder`] of `action` on `path`.
    pub(super) fn folder(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> ClusterError {
        let path = path.into();
        move |source| ClusterError::Folder { action, path, source }
    }
}
