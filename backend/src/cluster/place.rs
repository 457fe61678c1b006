//! Where a cluster lives: the cache folder, and in it a slot that one Rowlock at a time may use.
//!
//! ```text
//! <cache>/pg15/0/lock         held (flock) for as long as a Rowlock uses the slot
//!               /data/        the data folder, complete by construction
//!               /data.new/    a data folder that initdb has not finished
//!               /server.log   what the server says
//!               /sock/        the socket's folder, 0700; in /tmp if this path is too long
//! ```

use std::env;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::account::Account;
use super::{ClusterError, Progress, ProgressFn, sys};

/// How many Rowlocks can run at once with one cache folder and one major version.
const SLOTS: u32 = 64;

/// Names the socket's file only: no TCP port is opened.
pub(super) const PORT: u16 = 54320;

/// The longest path of a Unix socket, in bytes: 107 on Linux, 103 on macOS and the BSDs (`sun_path` less its NUL).
const LONGEST_SOCKET_PATH: usize = 103;

/// The folder that holds every cluster: `chosen`, else `rowlock` in the user's cache folder, else (as root, whose home
/// the server's account cannot enter) `/var/cache/rowlock` or `/var/tmp/rowlock-0`.
pub(super) fn cache_folder(
    chosen: Option<&Path>,
    account: Option<&Account>,
    progress: &ProgressFn,
) -> Result<PathBuf, ClusterError> {
    let dir = match (chosen, account) {
        (Some(dir), _) => make(dir)?,
        (None, None) => make(&usual_cache_folder()?)?,
        (None, Some(account)) => {
            let usual = usual_cache_folder().ok().filter(|_| env::var_os("XDG_CACHE_HOME").is_some());
            match usual.filter(|dir| account.can_enter(dir)) {
                Some(dir) => make(&dir)?,
                None => {
                    let dir =
                        make(Path::new("/var/cache/rowlock")).or_else(|_| make(Path::new("/var/tmp/rowlock-0")))?;
                    progress(&Progress::RunsAs { account: account.name.clone(), dir: dir.clone() });
                    dir
                }
            }
        }
    };
    match account {
        Some(account) if !account.can_enter(&dir) => {
            Err(ClusterError::Unreachable { dir, account: account.name.clone() })
        }
        _ => Ok(dir),
    }
}

/// `rowlock` in the user's cache folder.
fn usual_cache_folder() -> Result<PathBuf, ClusterError> {
    let named = |name| env::var_os(name).map(PathBuf::from).filter(|dir| dir.is_absolute());
    let below = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let cache = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(below)));
    cache.map(|cache| cache.join("rowlock")).ok_or(ClusterError::NoHome)
}

fn make(dir: &Path) -> Result<PathBuf, ClusterError> {
    DirBuilder::new().recursive(true).mode(0o755).create(dir).map_err(ClusterError::folder("create", dir))?;
    dir.canonicalize().map_err(ClusterError::folder("find", dir))
}

/// A folder for one cluster, held by this process until it ends or drops this.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) number: u32,
    pub(super) dir: PathBuf,
    /// Locked. Not inherited by the server: the standard library opens files close-on-exec.
    _lock: File,
}

impl Slot {
    /// The first slot for this major version that no other Rowlock holds.
    pub(super) fn take(cache: &Path, major: u32) -> Result<Slot, ClusterError> {
        let root = cache.join(format!("pg{major}"));
        for number in 0..SLOTS {
            let dir = make(&root.join(number.to_string()))?;
            let path = dir.join("lock");
            let opened = File::options().create(true).truncate(false).write(true).open(&path);
            let lock = opened.map_err(ClusterError::folder("open", &path))?;
            match lock.try_lock() {
                Ok(()) => return Ok(Slot { number, dir, _lock: lock }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(ClusterError::folder("lock", path)(source)),
            }
        }
        Err(ClusterError::NoSlot { root, count: SLOTS })
    }

    pub(super) fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    pub(super) fn unfinished_data(&self) -> PathBuf {
        self.dir.join("data.new")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.dir.join("server.log")
    }

    /// The folder of the socket. The same for every start of this slot, so that what an earlier one left is found.
    pub(super) fn socket_dir(&self) -> PathBuf {
        let near = self.dir.join("sock");
        let file = format!("/.s.PGSQL.{PORT}");
        if near.as_os_str().len() + file.len() <= LONGEST_SOCKET_PATH {
            return near;
        }
        // Not TMPDIR: on macOS that is long itself. FNV-1a, which no release of the compiler changes.
        let path = self.dir.as_os_str().as_encoded_bytes();
        let hash = path.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        PathBuf::from(format!("/tmp/rowlock-{}-{hash:016x}", sys::user()))
    }

    /// Makes the socket's folder afresh, for the server's account alone. Called while no server runs here.
    pub(super) fn make_socket_dir(&self, account: Option<&Account>) -> Result<(), ClusterError> {
        self.remove_socket_dir()?;
        let dir = self.socket_dir();
        // Fails if someone else made it in between: only a folder that we made is safe to use in /tmp.
        DirBuilder::new().mode(0o700).create(&dir).map_err(ClusterError::folder("create", &dir))?;
        account.map_or(Ok(()), |account| account.give(&dir))
    }

    pub(super) fn remove_socket_dir(&self) -> Result<(), ClusterError> {
        remove(&self.socket_dir())
    }
}

/// Removes a folder and all below it; one that is missing is fine.
pub(super) fn remove(dir: &Path) -> Result<(), ClusterError> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(ClusterError::folder("remove", dir)(e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_held_until_it_is_dropped_and_a_long_path_moves_the_socket() {
        let cache = env::temp_dir().join(format!("rowlock-place-{}", std::process::id()));
        let first = Slot::take(&cache, 15).unwrap();
        let second = Slot::take(&cache, 15).unwrap();
        let newer = Slot::take(&cache, 16).unwrap();
        assert_eq!((first.number, second.number, newer.number), (0, 1, 0));
        assert_eq!(first.socket_dir(), first.dir.join("sock"));
        drop(first);
        assert_eq!(Slot::take(&cache, 15).unwrap().number, 0);

        let deep = Slot::take(&cache.join("x".repeat(90)), 15).unwrap();
        assert!(deep.socket_dir().starts_with("/tmp"));
        deep.make_socket_dir(None).unwrap();
        deep.make_socket_dir(None).unwrap();
        deep.remove_socket_dir().unwrap();
        assert!(!deep.socket_dir().exists());
        remove(&cache).unwrap();
    }
}
