//! `rowlock serve`.

use super::args::Serve;
use super::base::Standing;
use super::failure::Failure;
use super::signal;
use crate::cluster::Progress;
use crate::http::{self, Hosts, Site};
use crate::runs::Limits;
use rowlock_shared::text::{Lang, Message, say};
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpListener;

/// The port unless another is asked for.
const PORT: u16 = 7373;

/// Serves until Ctrl-C or SIGTERM.
pub(super) async fn serve(options: Serve, lang: Lang) -> Result<ExitCode, Failure> {
    let begun = Instant::now();
    let signal = signal::watch().map_err(|error| Failure::of_system("server-no-runtime", error))?;
    // Before the database: an address that cannot be had is told at once.
    let listener = listen(options.host, options.port, lang).await?;
    let address = listener.local_addr().map_err(|error| Failure::of_system("server-no-runtime", error))?;
    let limits = Limits { runs: options.max_runs, viewers: options.max_viewers, ..Limits::default() };
    let progress = Arc::new(|step: &Progress| match step {
        Progress::Down { .. } => tracing::warn!("{step}"),
        _ => tracing::info!("{step}"),
    });
    let standing = Standing::stand(&options.base, limits, progress, signal.clone()).await?;
    if options.base.fast_not_durable {
        eprintln!("{}", say(lang, "server-fast-not-durable"));
    }
    for notice in standing.runs.engine().into_iter().flat_map(|(_, notices)| notices) {
        eprintln!("{}", notice.say(lang));
    }
    let site = Site {
        runs: standing.runs.clone(),
        hosts: Arc::new(Hosts::new(address.ip(), options.allow_host)),
        embedded: standing.is_embedded(),
        fast_not_durable: options.base.fast_not_durable,
        closing: signal,
    };
    // One line that programs read too, so that it is the same in every language.
    let shown = SocketAddr::new(reachable(address.ip()), address.port());
    let _ = writeln!(std::io::stdout(), "Rowlock is at http://{shown}/");
    tracing::info!(took_ms = begun.elapsed().as_millis(), "ready");
    let served = http::serve(listener, site).await;
    eprintln!("{}", say(lang, "server-stopping"));
    standing.end().await;
    served.map_err(|error| Failure::of_system("server-listener", error))?;
    Ok(ExitCode::SUCCESS)
}

/// The address by which a browser on this machine finds a server that listens on all of them.
fn reachable(bound: IpAddr) -> IpAddr {
    match bound {
        IpAddr::V4(address) if address.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(address) if address.is_unspecified() => IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
        other => other,
    }
}

/// Takes the port. If nobody asked for a certain one and the usual one is taken, any free one does.
async fn listen(host: IpAddr, port: Option<u16>, lang: Lang) -> Result<TcpListener, Failure> {
    let wanted = SocketAddr::new(host, port.unwrap_or(PORT));
    let taken = match TcpListener::bind(wanted).await {
        Ok(listener) => return Ok(listener),
        Err(error) => error,
    };
    if port.is_none() && taken.kind() == ErrorKind::AddrInUse {
        eprintln!("{}", Message::new("server-port-taken").with("port", PORT.to_string()).say(lang));
        if let Ok(listener) = TcpListener::bind(SocketAddr::new(host, 0)).await {
            return Ok(listener);
        }
    }
    let message = Message::new("server-cannot-listen").with("address", wanted.to_string());
    Err(Failure::Broken(message.with("why", taken.to_string())))
}
