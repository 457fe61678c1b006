//! A child process that ends with its owner.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// How long a child may take to say that it is ready. A first start makes a database cluster, on a busy machine at that.
const START: Duration = Duration::from_secs(60);

/// How long a child may take to end after it was asked to.
const STOP: Duration = Duration::from_secs(20);

/// How often to look whether a child has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A running program, ended when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    name: &'static str,
    child: Child,
    lines: Receiver<String>,
}

impl Process {
    /// Starts `command`; its standard output is read here, line by line.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let output = child.stdout.take().with_context(|| format!("{name} has no output to read"))?;
        let (sender, lines) = mpsc::channel();
        // The thread ends with the child's output; it reads on when nobody listens, or the child would block on a full pipe.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Ok(Self { name, child, lines })
    }

    /// Waits for a line in which `find` finds something, and returns that.
    ///
    /// # Errors
    /// When the child ends, or a minute passes, before it prints one; the message holds what it printed instead.
    pub(crate) fn wait_for<T>(&mut self, find: impl Fn(&str) -> Option<T>) -> anyhow::Result<T> {
        let deadline = Instant::now() + START;
        let mut heard = String::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => match find(&line) {
                    Some(found) => return Ok(found),
                    None => heard.extend([line.as_str(), "\n"]),
                },
                Err(error) => bail!("{} did not get ready ({error}); it printed:\n{heard}", self.name),
            }
        }
    }

    /// The process's number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the process to end (SIGTERM), and waits until it has.
    ///
    /// # Errors
    /// When it does not end in time; it is then killed.
    pub(crate) fn stop(&mut self) -> anyhow::Result<ExitStatus> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(status);
        }
        // The child has not been waited for, so the number is still its own. The shell's kill is everywhere.
        Command::new("sh").args(["-c", &format!("kill -TERM {}", self.id())]).status()?;
        let deadline = Instant::now() + STOP;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(LOOK);
        }
        self.child.kill()?;
        self.child.wait()?;
        bail!("{} did not end within {} s of SIGTERM and was killed", self.name, STOP.as_secs())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            eprintln!("{error:#}");
        }
    }
}

/// A new folder of its own, removed with all it holds when dropped.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder among the system's temporary ones; any account may read it, as a server started by root needs.
    pub(crate) fn new(purpose: &str) -> anyhow::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("rowlock-{purpose}-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("cannot remove {}: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_heard_and_ends_when_asked() -> anyhow::Result<()> {
        let mut child = Process::start("sleeper", Command::new("sh").args(["-c", "echo port 42; exec sleep 600"]))?;
        assert_eq!(child.wait_for(|line| line.strip_prefix("port ").map(str::to_owned))?, "42");
        assert!(!child.stop()?.success(), "ended by a signal");
        Ok(())
    }

    #[test]
    fn a_child_that_dies_early_tells_what_it_said() -> anyhow::Result<()> {
        let mut child = Process::start("sayer", Command::new("sh").args(["-c", "echo no room"]))?;
        let error = child.wait_for(|_| None::<()>).err().context("it was never ready")?;
        assert!(error.to_string().contains("no room"), "{error}");
        Ok(())
    }

    #[test]
    fn a_folder_goes_with_its_owner() -> anyhow::Result<()> {
        let folder = Folder::new("test")?;
        let path = folder.path().to_path_buf();
        std::fs::write(path.join("file"), "x")?;
        drop(folder);
        assert!(!path.exists());
        Ok(())
    }
}
