//! Ctrl-C and SIGTERM.

use tokio::sync::watch;

/// Becomes true at the first signal. The second one ends the program at once: the database ends with it.
pub(super) fn watch() -> std::io::Result<watch::Receiver<bool>> {
    let mut signals = Signals::new()?;
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        signals.next().await;
        sender.send_replace(true);
        signals.next().await;
        std::process::exit(130);
    });
    Ok(receiver)
}

/// Waits for the first signal.
pub(super) async fn given(mut signal: watch::Receiver<bool>) {
    // The sender lives until the program ends.
    let _ = signal.wait_for(|given| *given).await;
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
