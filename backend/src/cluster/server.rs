//! One cluster's commands: how its data folder is made and how its server is called.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::account::Account;
use super::place::{self, PORT, Slot};
use super::sys::{self, Signal};
use super::{ClusterError, Installation, log};

/// The superuser that initdb makes, and whom everything connects as.
pub(super) const USER: &str = "rowlock";

/// The database that everything connects to.
pub(super) const DATABASE: &str = "postgres";

/// Room for 64 workers, their effects, viewers' sessions and a class with psql; PostgreSQL ships 100.
pub(super) const MAX_CONNECTIONS: u32 = 200;

/// How many lines of a log an error message quotes.
const QUOTED_LINES: usize = 15;

/// Everything that is fixed about one cluster once its slot is taken.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) installation: Installation,
    pub(super) account: Option<Account>,
    pub(super) slot: Slot,
    pub(super) durable: bool,
}

impl Server {
    /// The data folder; it exists only in one piece, because it gets this name when initdb has succeeded.
    pub(super) fn data(&self) -> PathBuf {
        self.slot.data()
    }

    /// Whether there is a data folder to start on. One that lacks the control file was not made by us, or was half
    /// deleted: it cannot be started on either.
    pub(super) fn has_data(&self) -> bool {
        self.data().join("PG_VERSION").is_file() && self.data().join("global/pg_control").is_file()
    }

    /// Makes the empty folder that initdb is to fill, and the command that fills it.
    ///
    /// Trust is safe here: the only way in is a socket in a folder that the server's account alone may enter; TCP is
    /// refused by `pg_hba.conf` even if someone turns it on.
    pub(super) fn initdb(&self) -> Result<Command, ClusterError> {
        place::remove(&self.data())?;
        let dir = self.slot.unfinished_data();
        fs::DirBuilder::new().mode(0o700).create(&dir).map_err(ClusterError::folder("create", &dir))?;
        if let Some(account) = &self.account {
            account.give(&dir)?;
        }
        let mut command = self.command("initdb", Signal::Kill)?;
        command.arg("-D").arg(&dir).args(["-U", USER, "-E", "UTF8", "--locale=C"]);
        command.args(["--auth-local=trust", "--auth-host=reject"]);
        if !self.durable {
            command.arg("--no-sync");
        }
        // The working folder is how a leftover of this command is found again (see `orphans`).
        command.current_dir(dir);
        Ok(command)
    }

    /// Gives the folder that initdb has filled its final name.
    pub(super) fn accept_data(&self) -> Result<(), ClusterError> {
        let (from, to) = (self.slot.unfinished_data(), self.data());
        fs::rename(&from, &to).map_err(ClusterError::folder("rename", from))
    }

    /// The command that runs the server in the foreground.
    ///
    /// The settings are arguments, not lines of `postgresql.conf`, so that a data folder made by another Rowlock starts
    /// with the settings of this one.
    pub(super) fn postgres(&self) -> Result<Command, ClusterError> {
        let mut command = self.command("postgres", Signal::Interrupt)?;
        command.arg("-D").arg(self.data()).arg("-k").arg(self.slot.socket_dir());
        let mut set = |setting: &str| {
            command.args(["-c", setting]);
        };
        set(&format!("port={PORT}"));
        set("listen_addresses=");
        set("unix_socket_permissions=0700");
        set(&format!("max_connections={MAX_CONNECTIONS}"));
        set(&format!("cluster_name=rowlock-{}", self.slot.number));
        // The log is standard error, which is our file; nothing may send it elsewhere.
        set("logging_collector=off");
        set("log_destination=stderr");
        if !self.durable {
            set("fsync=off");
            set("synchronous_commit=off");
            set("full_page_writes=off");
        }
        command.current_dir(&self.slot.dir);
        Ok(command)
    }

    /// What both programs have in common: the account, the log, an environment without surprises, and an end with us.
    fn command(&self, program: &str, when_we_end: Signal) -> Result<Command, ClusterError> {
        use std::os::unix::process::CommandExt;
        let out = log::open(&self.slot.log())?;
        let err = out.try_clone().map_err(ClusterError::folder("open", self.slot.log()))?;
        let mut command = Command::new(self.installation.program(program));
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        // PGDATA, PGOPTIONS and the like would change what is started. A fixed locale also keeps macOS from starting
        // threads in the postmaster, at which it gives up.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C");
        // Ctrl-C in the terminal reaches the whole process group: the server is stopped by us, in our order.
        command.process_group(0);
        if let Some(account) = &self.account {
            account.lend_to(&mut command);
        }
        sys::end_with_parent(&mut command, when_we_end);
        Ok(command)
    }

    /// The `Spawn` error for one of the programs.
    pub(super) fn spawn_error(&self, program: &str, source: std::io::Error) -> ClusterError {
        ClusterError::Spawn { program: self.installation.program(program), source }
    }

    pub(super) fn initdb_error(&self, why: String) -> ClusterError {
        ClusterError::InitDb { dir: self.data(), why, tail: log::tail(&self.slot.log(), QUOTED_LINES) }
    }

    pub(super) fn start_error(&self, why: String) -> ClusterError {
        let log = self.slot.log();
        ClusterError::ServerFailed { why, data_dir: self.data(), tail: log::tail(&log, QUOTED_LINES), log }
    }
}
