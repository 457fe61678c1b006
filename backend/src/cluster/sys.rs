//! The four calls to the operating system that the standard library does not offer.
//!
//! This is the only file of the crate with `unsafe` in it; each use is one call with plain integers.
#![allow(unsafe_code)]

use std::process::Command;

/// What a postmaster understands, in rising order of rudeness.
///
/// Source: PostgreSQL manual, "Shutting Down the Server".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// SIGINT, the fast shutdown: clients are cut off, a checkpoint is written.
    Interrupt,
    /// SIGQUIT, the immediate shutdown: recovery from the log at the next start.
    Quit,
    /// SIGKILL: the process cannot object, and cleans up nothing.
    Kill,
}

impl Signal {
    fn number(self) -> libc::c_int {
        match self {
            Signal::Interrupt => libc::SIGINT,
            Signal::Quit => libc::SIGQUIT,
            Signal::Kill => libc::SIGKILL,
        }
    }
}

/// Sends `signal` to the process `pid`; a process that is gone is no error, the caller waits for its end anyway.
pub(super) fn send(signal: Signal, pid: u32) {
    if let Ok(pid) = libc::pid_t::try_from(pid)
        && pid > 0
    {
        // SAFETY: kill(2) takes two integers and touches no memory of ours. `pid` is positive, so neither a process
        // group nor "every process" is meant.
        unsafe { libc::kill(pid, signal.number()) };
    }
}

/// Whether the number `pid` is taken by any process, a zombie included.
pub(super) fn pid_is_taken(pid: u32) -> bool {
    let Ok(pid) = libc::pid_t::try_from(pid) else { return false };
    // SAFETY: as in `send`; signal 0 only asks.
    pid > 0
        && (unsafe { libc::kill(pid, 0) } == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM))
}

/// The user number this process acts as; 0 is root.
pub(super) fn user() -> u32 {
    // SAFETY: geteuid(2) takes nothing, returns an integer and cannot fail.
    unsafe { libc::geteuid() }
}

/// Makes the kernel send `signal` to the program that `command` starts once the *thread* that started it has ended,
/// be it by `kill -9` of the whole process. Linux only: elsewhere an orphan is ended by the next start.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
pub(super) fn end_with_parent(command: &mut Command, signal: Signal) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        let parent = std::process::id();
        let ends = move || {
            // SAFETY: two system calls that take integers and are allowed between fork and exec. The standard library
            // runs this after it has changed the user, which would have cleared the setting.
            let (set, now) = unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, signal.number()), libc::getppid()) };
            if set != 0 {
                return Err(std::io::Error::last_os_error());
            }
            // The parent may have died between fork and prctl; nobody would be left to send the signal.
            if u32::try_from(now) != Ok(parent) {
                return Err(std::io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        };
        // SAFETY: the closure allocates nothing, takes no lock and makes only async-signal-safe calls.
        unsafe { command.pre_exec(ends) };
    }
}
