//! Where the server programs are: every PostgreSQL on this machine, and the choice among them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fmt};

use super::ClusterError;
use super::install::hint;

/// The major versions Rowlock is tested with.
pub const SUPPORTED: std::ops::RangeInclusive<u32> = 14..=18;

/// Names the one folder of server programs to use, instead of looking for them.
pub const BIN_VARIABLE: &str = "ROWLOCK_PG_BIN";

/// One set of PostgreSQL server programs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Installation {
    /// Major version, such as 15.
    pub major: u32,
    /// Minor version, such as 18; 0 for a beta or a development build.
    pub minor: u32,
    /// The folder with `initdb` and `postgres`, symbolic links resolved.
    pub bin_dir: PathBuf,
}

impl Installation {
    /// Whether Rowlock knows this version: [`SUPPORTED`].
    #[must_use]
    pub fn is_supported(&self) -> bool {
        SUPPORTED.contains(&self.major)
    }

    /// The path of one of its programs; it need not exist.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin_dir.join(name)
    }
}

impl fmt::Display for Installation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} in {}", self.major, self.minor, self.bin_dir.display())
    }
}

/// Every PostgreSQL found on this machine, the newest first, supported or not.
///
/// Looks in `PATH`, at `pg_config --bindir`, and in the usual places of Debian, Fedora, Homebrew and Postgres.app; with
/// `ROWLOCK_PG_BIN` set, only in the folder it names. Starts `postgres --version` once for each, so it takes some
/// milliseconds and belongs off the async threads.
#[must_use]
pub fn installations() -> Vec<Installation> {
    installations_in(&Places::of_this_machine(), version_of)
}

/// The newest supported of `found`.
///
/// # Errors
/// [`ClusterError::NotFound`] if `found` is empty, [`ClusterError::Unsupported`] if none has a supported version,
/// [`ClusterError::BadBinFolder`] if `found` is empty because `ROWLOCK_PG_BIN` names a wrong folder.
pub fn newest(found: &[Installation]) -> Result<Installation, ClusterError> {
    if let Some(best) = found.iter().filter(|i| i.is_supported()).max_by_key(|i| (i.major, i.minor)) {
        return Ok(best.clone());
    }
    if !found.is_empty() {
        let found = found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        return Err(ClusterError::Unsupported { found, hint: hint() });
    }
    match env::var_os(BIN_VARIABLE) {
        Some(dir) => Err(ClusterError::BadBinFolder { dir: dir.into() }),
        None => Err(ClusterError::NotFound { hint: hint() }),
    }
}

/// Where to look; a value of its own so that a test can look elsewhere.
struct Places {
    /// The root of the file system.
    root: PathBuf,
    /// The folders of `PATH`.
    path: Vec<PathBuf>,
    /// What `pg_config --bindir` says.
    pg_config: Option<PathBuf>,
    /// The folder that `ROWLOCK_PG_BIN` names: nothing else counts then.
    only: Option<PathBuf>,
}

impl Places {
    fn of_this_machine() -> Places {
        let path = env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        let said = Command::new("pg_config").arg("--bindir").output().ok();
        let pg_config = said
            .filter(|said| said.status.success())
            .map(|said| PathBuf::from(String::from_utf8_lossy(&said.stdout).trim()))
            .filter(|dir| dir.is_absolute());
        Places { root: "/".into(), path, pg_config, only: env::var_os(BIN_VARIABLE).map(PathBuf::from) }
    }

    /// The folders worth a look, some of them missing, some named twice.
    fn candidates(&self) -> Vec<PathBuf> {
        if let Some(only) = &self.only {
            return vec![only.clone()];
        }
        let mut all = self.path.clone();
        all.extend(self.pg_config.clone());
        // (folder, what its children begin with, what follows below the child)
        let versioned = [
            ("usr/lib/postgresql", "", "bin"),                          // Debian, Ubuntu
            ("usr", "pgsql-", "bin"),                                   // PGDG on Fedora and RHEL
            ("usr/libexec", "postgresql", ""),                          // Alpine
            ("opt/homebrew/opt", "postgresql", "bin"),                  // Homebrew on Apple silicon
            ("usr/local/opt", "postgresql", "bin"),                     // Homebrew on Intel
            ("home/linuxbrew/.linuxbrew/opt", "postgresql", "bin"),     // Homebrew on Linux
            ("Applications/Postgres.app/Contents/Versions", "", "bin"), // Postgres.app
            ("Library/PostgreSQL", "", "bin"),                          // EDB's installer on macOS
        ];
        for (parent, prefix, below) in versioned {
            let Ok(children) = self.root.join(parent).read_dir() else { continue };
            let named = children.flatten().filter(|child| child.file_name().to_string_lossy().starts_with(prefix));
            all.extend(named.map(|child| child.path().join(below)));
        }
        // Fedora's own packages, and a build from source.
        all.extend(["usr/bin", "usr/local/pgsql/bin"].map(|dir| self.root.join(dir)));
        all
    }
}

fn installations_in(places: &Places, version: impl Fn(&Path) -> Option<(u32, u32)>) -> Vec<Installation> {
    let mut found: Vec<Installation> = Vec::new();
    for dir in places.candidates() {
        // A link such as /usr/local/bin/postgres leads to the folder where the other programs are too.
        let Ok(server) = dir.join("postgres").canonicalize() else { continue };
        let Some(bin_dir) = server.parent() else { continue };
        if !bin_dir.join("initdb").is_file() || found.iter().any(|known| known.bin_dir == bin_dir) {
            continue;
        }
        if let Some((major, minor)) = version(&server) {
            found.push(Installation { major, minor, bin_dir: bin_dir.to_owned() });
        }
    }
    found.sort_by(|a, b| (b.major, b.minor, &a.bin_dir).cmp(&(a.major, a.minor, &b.bin_dir)));
    found
}

/// What `postgres --version` says; it answers root too.
fn version_of(server: &Path) -> Option<(u32, u32)> {
    let said = Command::new(server).arg("--version").output().ok()?;
    parse_version(&String::from_utf8_lossy(&said.stdout))
}

/// Reads `postgres (PostgreSQL) 15.18 (Debian 15.18-1)`, `… 18beta1`, `… 17devel`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let version = text.split_once("(PostgreSQL)")?.1.split_whitespace().next()?;
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let major = digits(version);
    let minor = version[major.len()..].strip_prefix('.').map(digits).unwrap_or_default();
    Some((major.parse().ok()?, minor.parse().unwrap_or(0)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "find_tests.rs"]
mod tests;
