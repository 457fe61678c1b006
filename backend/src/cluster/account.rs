//! Who the server runs as. PostgreSQL refuses to run as root, so root lends it an unprivileged account.

use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::{ClusterError, sys};

/// An account for the server's processes, other than the one Rowlock itself runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) name: String,
    uid: u32,
    gid: u32,
}

impl Account {
    /// `None` unless Rowlock runs as root; then `postgres`, else `nobody`.
    pub(super) fn for_server() -> Result<Option<Account>, ClusterError> {
        if sys::user() != 0 {
            return Ok(None);
        }
        let found = ["postgres", "nobody"].into_iter().find_map(Account::named);
        found.map(Some).ok_or(ClusterError::NoAccount)
    }

    /// Asks `id`, which knows every source of accounts that the machine uses (files, LDAP, directory services).
    fn named(name: &str) -> Option<Account> {
        let number = |flag: &str| {
            let said = Command::new("id").args([flag, name]).output().ok().filter(|said| said.status.success())?;
            // macOS prints `nobody` as -2; the kernel keeps the same bits as an unsigned number.
            let number: i64 = String::from_utf8_lossy(&said.stdout).trim().parse().ok()?;
            u32::try_from(number).or_else(|_| i32::try_from(number).map(i32::cast_unsigned)).ok()
        };
        let account = Account { name: name.to_owned(), uid: number("-u")?, gid: number("-g")? };
        (account.uid != 0).then_some(account)
    }

    /// Makes `command` run as this account; the standard library drops root's supplementary groups with it.
    pub(super) fn lend_to(&self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }

    /// Hands `path` to this account.
    pub(super) fn give(&self, path: &Path) -> Result<(), ClusterError> {
        chown(path, Some(self.uid), Some(self.gid)).map_err(ClusterError::folder("change the owner of", path))
    }

    /// Hands `path` and all below it to this account, if another owns it: an earlier start may have found no
    /// `postgres` and used `nobody`.
    pub(super) fn give_all(&self, path: &Path) -> Result<(), ClusterError> {
        let about = path.symlink_metadata().map_err(ClusterError::folder("look at", path))?;
        if about.uid() == self.uid {
            return Ok(());
        }
        self.give(path)?;
        if about.is_dir() {
            for child in path.read_dir().map_err(ClusterError::folder("list", path))? {
                let child = child.map_err(ClusterError::folder("list", path))?.path();
                // A link is left alone: chown would follow it out of the folder.
                if !child.is_symlink() {
                    self.give_all(&child)?;
                }
            }
        }
        Ok(())
    }

    /// Whether this account can walk down to `dir`, by the permission bits of every folder that exists on the way.
    pub(super) fn can_enter(&self, dir: &Path) -> bool {
        dir.ancestors().all(|dir| match dir.metadata() {
            Err(_) => true,
            Ok(about) => {
                let walk = if about.uid() == self.uid {
                    0o100
                } else if about.gid() == self.gid {
                    0o010
                } else {
                    0o001
                };
                about.mode() & walk != 0
            }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir_all, remove_dir_all, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_private_parent_cannot_be_entered_and_a_missing_child_can() {
        let dir = std::env::temp_dir().join(format!("rowlock-account-{}", std::process::id()));
        create_dir_all(dir.join("open")).unwrap();
        let mine = dir.metadata().unwrap();
        let stranger = Account { name: "stranger".into(), uid: mine.uid() + 1, gid: mine.gid() + 1 };
        assert!(stranger.can_enter(&dir.join("open/not/yet/there")));
        set_permissions(&dir, Permissions::from_mode(0o700)).unwrap();
        assert!(!stranger.can_enter(&dir.join("open")));
        let owner = Account { name: "owner".into(), uid: mine.uid(), gid: mine.gid() };
        assert!(owner.can_enter(&dir.join("open")));
        remove_dir_all(dir).unwrap();
    }
}
