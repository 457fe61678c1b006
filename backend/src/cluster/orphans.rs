//! What an earlier server left behind: its processes and its pid file.
//!
//! A postmaster can outlive a Rowlock that was killed (where the kernel has no parent-death signal), and backends can
//! outlive a postmaster that was killed, for as long as they do not look up. Starting a second server on the same data
//! folder before they are gone is what damages data, so nothing starts before [`clear`] has seen the folder empty of
//! processes. The caller holds the slot's lock: no other Rowlock can be starting one meanwhile.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::sys::{self, Signal};
use super::{ClusterError, Progress, ProgressFn, place};

/// How often a process is looked for while its end is waited for.
const LOOK: Duration = Duration::from_millis(5);

/// The first eight lines of `postmaster.pid`, of which these are of use.
///
/// Source: PostgreSQL, `src/include/utils/pidfile.h`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PidFile {
    pub(super) pid: u32,
    /// The last line says `ready`.
    pub(super) is_ready: bool,
}

impl PidFile {
    /// `None` while there is no file, or not yet a whole first line in it.
    pub(super) fn read(data: &Path) -> Option<PidFile> {
        let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
        let mut lines = text.lines();
        let pid = lines.next()?.trim().parse().ok()?;
        Some(PidFile { pid, is_ready: lines.nth(6).is_some_and(|status| status.trim() == "ready") })
    }
}

/// Ends every process that works in the data folder, waits for the ends, and takes away a pid file whose number now
/// belongs to a stranger (the server would take the stranger for a running server and refuse to start).
pub(super) fn clear(data: &Path, progress: &ProgressFn) -> Result<(), ClusterError> {
    let recorded = PidFile::read(data);
    let left = processes_in(data);
    if !left.is_empty() {
        let postmaster = recorded.as_ref().map(|file| file.pid).filter(|pid| left.contains(pid));
        progress(&Progress::EndingOld { pids: left });
        end_all(data, postmaster)?;
    }
    if let Some(file) = PidFile::read(data)
        && sys::pid_is_taken(file.pid)
    {
        let path = data.join("postmaster.pid");
        fs::remove_file(&path).map_err(ClusterError::folder("remove", path))?;
    }
    Ok(())
}

/// As [`clear`], for a data folder that initdb did not finish; the folder goes too.
pub(super) fn clear_unfinished(data: &Path, progress: &ProgressFn) -> Result<(), ClusterError> {
    if !data.exists() {
        return Ok(());
    }
    let left = processes_in(data);
    if !left.is_empty() {
        progress(&Progress::EndingOld { pids: left });
        end_all(data, None)?;
    }
    place::remove(data)
}

/// A living postmaster gets time for its shutdown checkpoint. Backends without one end by themselves (they are told by
/// the kernel that it died) and are only pushed if they are too busy to look.
fn end_all(data: &Path, postmaster: Option<u32>) -> Result<(), ClusterError> {
    if let Some(pid) = postmaster {
        sys::send(Signal::Interrupt, pid);
    }
    let patience = Duration::from_secs(if postmaster.is_some() { 10 } else { 2 });
    for (wait, then) in [(patience, Signal::Quit), (Duration::from_secs(5), Signal::Kill)] {
        if is_empty_within(data, wait) {
            return Ok(());
        }
        for pid in processes_in(data) {
            sys::send(then, pid);
        }
    }
    if is_empty_within(data, Duration::from_secs(5)) {
        return Ok(());
    }
    Err(ClusterError::OldServer { pids: processes_in(data), data_dir: data.to_owned() })
}

fn is_empty_within(data: &Path, patience: Duration) -> bool {
    let deadline = Instant::now() + patience;
    loop {
        if processes_in(data).is_empty() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        sleep(LOOK);
    }
}

/// The processes whose working folder is `data`: a server's processes change into their data folder at their start and
/// stay there, so this finds them however they were started, and finds nobody else (but a shell someone left there).
#[cfg(target_os = "linux")]
pub(super) fn processes_in(data: &Path) -> Vec<u32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let number = |name: std::ffi::OsString| name.to_str()?.parse::<u32>().ok();
    // A zombie has no working folder any more: it does not count, as it holds nothing.
    let works_here = |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|dir| dir == data);
    let is_server = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|program| {
            let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            name.starts_with("postgres") || name.starts_with("initdb")
        })
    };
    all.flatten().filter_map(|entry| number(entry.file_name())).filter(works_here).filter(is_server).collect()
}

/// As on Linux, asked of `lsof`, which macOS and the BSDs ship or offer.
#[cfg(not(target_os = "linux"))]
pub(super) fn processes_in(data: &Path) -> Vec<u32> {
    // -c: only programs whose name begins so, lest a shell someone left in the folder be taken for a server.
    let asked =
        std::process::Command::new("lsof").args(["-t", "-a", "-c", "postgres", "-d", "cwd", "--"]).arg(data).output();
    let said = asked.map(|said| said.stdout).unwrap_or_default();
    String::from_utf8_lossy(&said).lines().filter_map(|pid| pid.trim().parse().ok()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn data(name: &str, pid_file: &str) -> std::path::PathBuf {
        let dir = std::env::temp_dir().join(format!("rowlock-orphans-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("postmaster.pid"), pid_file).unwrap();
        dir
    }

    #[test]
    fn the_pid_file_says_when_the_server_is_ready() {
        let lines = |status: &str| format!("4711\n/data\n1700000000\n54320\n/sock\n\n  5 6\n{status}");
        for (status, is_ready) in [("starting\n", false), ("ready   \n", true), ("stopping\n", false), ("", false)] {
            let dir = data("status", &lines(status));
            assert_eq!(PidFile::read(&dir), Some(PidFile { pid: 4711, is_ready }), "{status:?}");
            fs::remove_dir_all(dir).unwrap();
        }
        assert_eq!(PidFile::read(Path::new("/nowhere")), None);
    }

    #[test]
    fn a_pid_file_of_a_stranger_is_taken_away_and_the_stranger_lives() {
        let mine = std::process::id();
        let dir = data("stranger", &format!("{mine}\n/data\n1\n54320\n/sock\n\n5 6\nready\n"));
        let told = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let tell = std::sync::Arc::clone(&told);
        let progress: ProgressFn = std::sync::Arc::new(move |_| tell.store(true, std::sync::atomic::Ordering::Relaxed));
        clear(&dir, &progress).unwrap();
        assert!(!told.load(std::sync::atomic::Ordering::Relaxed), "nothing was ended");
        assert!(!dir.join("postmaster.pid").exists());
        fs::remove_dir_all(dir).unwrap();
    }
}
