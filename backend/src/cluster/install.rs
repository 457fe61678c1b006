//! Fetching the server programs by the machine's package manager, when there are none and Rowlock runs as root.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use super::{ClusterError, Progress, ProgressFn, log, sys};

/// While this file exists, Debian's packages make and start no system-wide cluster of their own.
///
/// Source: pg_createcluster(1), "createcluster.conf": its last line includes the folder `createcluster.d`.
const NO_SYSTEM_CLUSTER: &str = "/etc/postgresql-common/createcluster.d/rowlock.conf";

/// A package manager that Rowlock can drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manager {
    Apt,
    Dnf,
}

impl Manager {
    fn of_this_machine() -> Option<Manager> {
        if is_in_path("apt-get") {
            Some(Manager::Apt)
        } else if is_in_path("dnf") {
            Some(Manager::Dnf)
        } else {
            None
        }
    }
}

/// What to type on this machine to get the server programs.
pub(super) fn hint() -> &'static str {
    match Manager::of_this_machine() {
        Some(Manager::Apt) => "install them with `sudo apt-get install postgresql postgresql-contrib`",
        Some(Manager::Dnf) => "install them with `sudo dnf install postgresql-server postgresql-contrib`",
        None if cfg!(target_os = "macos") => "install them with `brew install postgresql@18`",
        None if is_in_path("apk") => "install them with `apk add postgresql postgresql-contrib`",
        None if is_in_path("pacman") => "install them with `sudo pacman -S postgresql`",
        None => "install the packages of the PostgreSQL server and its contrib modules",
    }
}

/// Whether [`install`] can do anything here: Rowlock runs as root beside a package manager it knows.
pub(super) fn is_possible() -> bool {
    sys::user() == 0 && Manager::of_this_machine().is_some()
}

/// Installs the distribution's PostgreSQL server and contrib modules. Blocks for as long as that takes.
pub(super) fn install(progress: &ProgressFn) -> Result<(), ClusterError> {
    match Manager::of_this_machine() {
        Some(Manager::Apt) => apt(progress),
        Some(Manager::Dnf) => run(progress, "dnf", &["install", "-y", "postgresql-server", "postgresql-contrib"]),
        None => Err(ClusterError::NotFound { hint: hint() }),
    }
}

/// The common package comes first: it brings the folder in which the note against a system cluster has its place. The
/// note is taken away again, so that the machine's owner finds the packages behaving as Debian documents them.
fn apt(progress: &ProgressFn) -> Result<(), ClusterError> {
    run(progress, "apt-get", &["update"])?;
    run(progress, "apt-get", &["install", "-y", "--no-install-recommends", "postgresql-common"])?;
    let note = Path::new(NO_SYSTEM_CLUSTER);
    if let Some(folder) = note.parent() {
        fs::create_dir_all(folder).map_err(ClusterError::folder("create", folder))?;
    }
    fs::write(note, "create_main_cluster = false\n").map_err(ClusterError::folder("write", note))?;
    let installed =
        run(progress, "apt-get", &["install", "-y", "--no-install-recommends", "postgresql", "postgresql-contrib"]);
    fs::remove_file(note).map_err(ClusterError::folder("remove", note))?;
    installed
}

fn run(progress: &ProgressFn, program: &str, arguments: &[&str]) -> Result<(), ClusterError> {
    let command = format!("{program} {}", arguments.join(" "));
    progress(&Progress::Installing { command: command.clone() });
    let said =
        Command::new(program).args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).output();
    let why = match said {
        Ok(said) if said.status.success() => return Ok(()),
        Ok(said) => {
            let text = [said.stdout, said.stderr].concat();
            format!("{}; its last words: {}", said.status, log::last_lines(&String::from_utf8_lossy(&text), 5))
        }
        Err(e) => e.to_string(),
    };
    Err(ClusterError::Install { command, why, hint: hint() })
}

fn is_in_path(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}
