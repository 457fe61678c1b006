//! A Rowlock of the test's own.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use anyhow::Context;

use crate::process::{Folder, Process};

/// What the server prints before its address.
const GREETING: &str = "Rowlock is at ";

/// A running `rowlock serve` with a cache folder, and so a PostgreSQL, of its own; stopped when dropped.
///
/// `ROWLOCK_PG_BIN`, where it is set, tells it which PostgreSQL to use.
#[derive(Debug)]
pub struct App {
    // The order matters: the process ends before its folder goes.
    process: Process,
    address: String,
    cache: Folder,
}

impl App {
    /// Starts the server on a free port of the loopback and waits for the address it prints.
    ///
    /// # Errors
    /// When cargo has not built it, or it does not start; the message holds its log.
    pub fn start() -> anyhow::Result<Self> {
        Self::start_with(|_| {})
    }

    /// The same, after `prepare` has added arguments or variables.
    ///
    /// # Errors
    /// As [`start`](App::start).
    pub fn start_with(prepare: impl FnOnce(&mut Command)) -> anyhow::Result<Self> {
        let cache = Folder::new("app")?;
        let log = cache.path().join("stderr.log");
        let mut command = Command::new(server()?);
        command.args(["serve", "--port", "0"]).stderr(File::create(&log)?);
        // Linux looks in the first, macOS below the second.
        command.env("XDG_CACHE_HOME", cache.path()).env("HOME", cache.path());
        prepare(&mut command);
        let mut process = Process::start("rowlock", &mut command)?;
        let address = process
            .wait_for(|line| line.split_once(GREETING).map(|(_, address)| address.trim().to_owned()))
            .with_context(|| format!("its log:\n{}", fs::read_to_string(&log).unwrap_or_default()))?;
        Ok(Self { process, address, cache })
    }

    /// Where it is, ending in a slash: `http://127.0.0.1:40123/`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The address of one of its paths; `path` has no slash in front.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// The address of one of its WebSockets.
    #[must_use]
    pub fn socket_url(&self, path: &str) -> String {
        self.url(path).replacen("http", "ws", 1)
    }

    /// The number of the server's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The cache folder, where its cluster is.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.cache.path().to_path_buf()
    }

    /// All that it wrote to its log so far.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn log(&self) -> anyhow::Result<String> {
        Ok(fs::read_to_string(self.cache.path().join("stderr.log"))?)
    }

    /// Asks it to stop (SIGTERM), waits, and returns how it ended.
    ///
    /// # Errors
    /// When it does not end in time.
    pub fn stop(&mut self) -> anyhow::Result<ExitStatus> {
        self.process.stop()
    }
}

/// The server, which cargo puts in the folder above the one of this test, or beside this program.
fn server() -> anyhow::Result<PathBuf> {
    let name = format!("rowlock{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe()?;
    let found = here.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|path| path.is_file());
    found.context("the server is not built: `cargo xtask test` does it, or `cargo build -p rowlock-backend`")
}
