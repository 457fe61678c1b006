//! The server's log file: opened for it, kept from growing for ever, read back for an error message.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::ClusterError;

/// Above this size (bytes) a log is set aside, as `….1`, when the cluster starts.
const SET_ASIDE_ABOVE: u64 = 1 << 20;

/// At most this much (bytes) is read back from the end.
const READ_BACK: u64 = 16 << 10;

/// Opens the log for appending.
pub(super) fn open(path: &Path) -> Result<File, ClusterError> {
    if path.metadata().is_ok_and(|about| about.len() > SET_ASIDE_ABOVE) {
        let aside = path.with_extension("log.1");
        fs::rename(path, &aside).map_err(ClusterError::folder("rename", path))?;
    }
    OpenOptions::new().create(true).append(true).open(path).map_err(ClusterError::folder("open", path))
}

/// The last `lines` lines; empty if there is no log or it cannot be read.
pub(super) fn tail(path: &Path, lines: usize) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(READ_BACK)))?;
        let mut text = Vec::new();
        file.take(READ_BACK).read_to_end(&mut text)?;
        Ok(text)
    };
    last_lines(&String::from_utf8_lossy(&read().unwrap_or_default()), lines)
}

/// The last `lines` lines of `text`, without a newline at the end.
pub(super) fn last_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_last_lines() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("a", 2), "a");
        assert_eq!(last_lines("", 2), "");
    }

    #[test]
    fn a_long_log_is_read_from_its_end_and_set_aside_once() {
        let dir = std::env::temp_dir().join(format!("rowlock-log-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("server.log");
        fs::write(&path, "filler filler filler\n".repeat(60_000) + "the end\n").unwrap();
        assert_eq!(tail(&path, 1), "the end");
        open(&path).unwrap();
        assert_eq!(tail(&path, 1), "");
        assert_eq!(tail(&dir.join("server.log.1"), 1), "the end");
        fs::remove_dir_all(dir).unwrap();
    }
}
