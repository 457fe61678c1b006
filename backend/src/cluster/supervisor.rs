//! The thread that looks after the server: makes its data folder, starts it, starts it again when it dies, ends it.
//!
//! A thread and not a task, because the kernel ties the server's life to the *thread* that started it (see
//! [`sys::end_with_parent`]) and because the last act, stopping the server, must work when no async runtime is left.
//! Each child is started and waited for by a thread of its own, which lives exactly as long as the child; this one
//! reads what happens from a channel, so that a request to stop is heard at any moment.

use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, io};

use tokio::sync::{oneshot, watch};

use super::orphans::{self, PidFile};
use super::server::Server;
use super::sys::{self, Signal};
use super::{ClusterError, ClusterState, Progress, ProgressFn};

/// How often the pid file is read while the server starts.
const LOOK: Duration = Duration::from_millis(5);

/// How long a server may take to become ready: it may have a crash to recover from.
const START_LIMIT: Duration = Duration::from_secs(120);

/// How often in a row a restart may fail before the supervisor gives up.
const RESTARTS: u32 = 5;

/// The pause before the second restart in a row; doubled before each further one. There is none before the first.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How long each way to end the server is given before the next, ruder one is tried.
const STOP_STEPS: [(Signal, Duration); 3] = [
    (Signal::Interrupt, Duration::from_secs(10)),
    (Signal::Quit, Duration::from_secs(5)),
    (Signal::Kill, Duration::from_secs(5)),
];

/// What the thread hears.
pub(super) enum Message {
    /// The child has ended, and has been waited for.
    Exited(io::Result<ExitStatus>),
    /// [`Cluster::stop`](super::Cluster::stop), or the cluster was dropped.
    Stop,
}

/// What the thread works with.
pub(super) struct Supervisor {
    server: Arc<Server>,
    progress: ProgressFn,
    state: watch::Sender<ClusterState>,
    /// The postmaster's process number, 0 while there is none.
    pid: Arc<AtomicU32>,
    inbox: Receiver<Message>,
    to_inbox: Sender<Message>,
    /// How many times the server has become ready.
    generation: u64,
}

impl Supervisor {
    pub(super) fn new(
        server: Arc<Server>,
        progress: ProgressFn,
        state: watch::Sender<ClusterState>,
        pid: Arc<AtomicU32>,
    ) -> (Supervisor, Sender<Message>) {
        let (to_inbox, inbox) = channel();
        let sender = to_inbox.clone();
        (Supervisor { server, progress, state, pid, inbox, to_inbox, generation: 0 }, sender)
    }

    /// The thread's whole life. `first` learns how the first start went.
    pub(super) fn run(mut self, first: oneshot::Sender<Result<(), ClusterError>>) {
        let started = self.prepare().and_then(|()| self.start());
        let end = match started {
            Ok(()) => {
                // Nobody listening is fine: the start was cancelled, and a `Stop` follows.
                let _ = first.send(Ok(()));
                self.supervise()
            }
            Err(e) => {
                let end = match e {
                    ClusterError::Stopped => ClusterState::Stopped,
                    _ => ClusterState::Failed { why: e.to_string() },
                };
                let _ = first.send(Err(e));
                end
            }
        };
        // Best effort: the folder is made afresh at the next start.
        let _ = self.server.slot.remove_socket_dir();
        // The slot's lock goes before the news: whoever waits for the end may take the slot at once.
        let Supervisor { server, state, .. } = self;
        drop(server);
        state.send_replace(end);
    }

    /// Makes the data folder, unless there is one.
    fn prepare(&mut self) -> Result<(), ClusterError> {
        orphans::clear_unfinished(&self.server.slot.unfinished_data(), &self.progress)?;
        if self.server.has_data() {
            return match &self.server.account {
                Some(account) => account.give_all(&self.server.data()),
                None => Ok(()),
            };
        }
        orphans::clear(&self.server.data(), &self.progress)?;
        (self.progress)(&Progress::Initialising { dir: self.server.data() });
        let pid = self.spawn("initdb", self.server.initdb()?)?;
        match self.inbox.recv() {
            Ok(Message::Exited(Ok(status))) if status.success() => self.server.accept_data(),
            Ok(Message::Exited(status)) => Err(self.server.initdb_error(describe(&status))),
            Ok(Message::Stop) | Err(_) => {
                sys::send(Signal::Kill, pid);
                self.exited_within(Duration::MAX);
                Err(ClusterError::Stopped)
            }
        }
    }

    /// Starts the server and waits until it is ready.
    fn start(&mut self) -> Result<(), ClusterError> {
        let begin = Instant::now();
        orphans::clear(&self.server.data(), &self.progress)?;
        self.server.slot.make_socket_dir(self.server.account.as_ref())?;
        (self.progress)(&Progress::Starting { installation: self.server.installation.clone() });
        let pid = self.spawn("postgres", self.server.postgres()?)?;
        self.pid.store(pid, Ordering::Release);
        loop {
            match self.inbox.recv_timeout(LOOK) {
                Ok(Message::Exited(status)) => {
                    self.pid.store(0, Ordering::Release);
                    return Err(self.server.start_error(format!("it ended ({})", describe(&status))));
                }
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    self.end(pid);
                    return Err(ClusterError::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if PidFile::read(&self.server.data()) == Some(PidFile { pid, is_ready: true }) {
                break;
            }
            if begin.elapsed() > START_LIMIT {
                self.end(pid);
                return Err(self.server.start_error(format!("it was not ready within {} s", START_LIMIT.as_secs())));
            }
        }
        self.generation += 1;
        self.state.send_replace(ClusterState::Ready { generation: self.generation });
        (self.progress)(&Progress::Ready { took: begin.elapsed() });
        Ok(())
    }

    /// Restarts the server whenever it ends by itself; returns when it is to be no more.
    fn supervise(&mut self) -> ClusterState {
        loop {
            let why = match self.inbox.recv() {
                Ok(Message::Exited(status)) => format!("PostgreSQL ended unasked ({})", describe(&status)),
                Ok(Message::Stop) | Err(_) => {
                    self.end(self.pid.load(Ordering::Acquire));
                    return ClusterState::Stopped;
                }
            };
            self.pid.store(0, Ordering::Release);
            if let Err(end) = self.restart(why) {
                return end;
            }
        }
    }

    /// Starts the server again, after the backends of the one that died have gone; `Err` is the final state.
    fn restart(&mut self, mut why: String) -> Result<(), ClusterState> {
        let mut pause = FIRST_PAUSE;
        for attempt in 1..=RESTARTS {
            (self.progress)(&Progress::Down { why: why.clone() });
            self.state.send_replace(ClusterState::Down { why });
            why = match self.start() {
                Ok(()) => return Ok(()),
                Err(ClusterError::Stopped) => return Err(ClusterState::Stopped),
                Err(e) => e.to_string(),
            };
            if attempt < RESTARTS {
                if let Ok(Message::Stop) = self.inbox.recv_timeout(pause) {
                    return Err(ClusterState::Stopped);
                }
                pause *= 2;
            }
        }
        Err(ClusterState::Failed { why: format!("gave up after {RESTARTS} restarts in a row: {why}") })
    }

    /// Ends the server `pid` and waits until it, and every process of it, has gone.
    fn end(&mut self, pid: u32) {
        for (signal, patience) in STOP_STEPS {
            sys::send(signal, pid);
            if self.exited_within(patience) {
                break;
            }
        }
        self.pid.store(0, Ordering::Release);
        if let Err(e) = orphans::clear(&self.server.data(), &self.progress) {
            tracing::warn!("{e}");
        }
    }

    /// Waits for the child's end; further requests to stop change nothing.
    fn exited_within(&self, patience: Duration) -> bool {
        let begin = Instant::now();
        while let Some(left) = patience.checked_sub(begin.elapsed()) {
            match self.inbox.recv_timeout(left) {
                Ok(Message::Exited(_)) => return true,
                Ok(Message::Stop) => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// Starts `command` from a thread that then waits for its end.
    fn spawn(&self, program: &str, mut command: Command) -> Result<u32, ClusterError> {
        let (started, news) = channel();
        let inbox = self.to_inbox.clone();
        let wait = move || match command.spawn() {
            Ok(mut child) => {
                let _ = started.send(Ok(child.id()));
                let _ = inbox.send(Message::Exited(child.wait()));
            }
            Err(e) => drop(started.send(Err(e))),
        };
        let failed = |e| self.server.spawn_error(program, e);
        thread::Builder::new().name(format!("rowlock-{program}")).spawn(wait).map_err(failed)?;
        news.recv().map_err(|_| ClusterError::Panicked)?.map_err(failed)
    }
}

/// How a child ended, in words.
fn describe(status: &io::Result<ExitStatus>) -> String {
    let words: &dyn fmt::Display = match status {
        Ok(status) => status,
        Err(e) => e,
    };
    words.to_string()
}
