//! The one address: page, REST and WebSocket, as [`rowlock_shared::wire`] describes them.
//!
//! `guard.rs` decides who may ask, `api.rs` answers requests, `stream.rs` feeds viewers, `page.rs` serves the built page,
//! `error.rs` turns every refusal into an [`rowlock_shared::wire::ApiError`].

mod api;
mod error;
mod guard;
mod page;
mod stream;

pub use guard::Hosts;

use crate::runs::Runs;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Most bytes of a request's body: a scenario with every knob has about 2 kB.
pub const MAX_BODY: usize = 64 << 10;

/// How long open requests may take when the server ends.
const FAREWELL: Duration = Duration::from_secs(3);

/// What a server serves.
#[derive(Clone)]
pub struct Site {
    /// The runs.
    pub runs: Runs,
    /// By which names it may be asked.
    pub hosts: Arc<Hosts>,
    /// Whether the database is Rowlock's own cluster.
    pub embedded: bool,
    /// Whether that has the "fast, not durable" settings.
    pub fast_not_durable: bool,
    /// Becomes true when the server is about to end: streams then close by themselves.
    pub closing: watch::Receiver<bool>,
}

/// Everything that is served.
fn router(site: Site) -> Router {
    Router::new()
        .route("/api/server", get(api::server))
        .route("/api/presets", get(api::presets))
        .route("/api/scenarios/check", post(api::check))
        .route("/api/runs", get(api::list).post(api::start))
        .route("/api/runs/{id}", get(api::info).delete(api::delete))
        .route("/api/runs/{id}/summary", get(api::summary))
        .route("/api/runs/{id}/events", get(api::events))
        .route("/api/runs/{id}/stop", post(api::stop))
        .route("/api/runs/{id}/interventions", post(api::intervene))
        .route("/api/runs/{id}/stream", get(stream::stream))
        .fallback(page::page)
        .method_not_allowed_fallback(error::wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(guard::catch_panics))
        .layer(from_fn_with_state(site.clone(), guard::check_sender))
        .layer(from_fn(guard::add_headers))
        .with_state(site)
}

/// Serves until `site.closing` becomes true, then lets open requests end for a moment.
///
/// # Errors
/// The listener fails.
pub async fn serve(listener: TcpListener, site: Site) -> std::io::Result<()> {
    let mut closing = site.closing.clone();
    let mut told = closing.clone();
    let server = axum::serve(listener, router(site)).with_graceful_shutdown(async move {
        // An error means that whoever could say so is gone: that is the end as well.
        let _ = closing.wait_for(|closing| *closing).await;
    });
    let too_late = async move {
        let _ = told.wait_for(|closing| *closing).await;
        tokio::time::sleep(FAREWELL).await;
    };
    tokio::select! {
        served = server => served,
        () = too_late => Ok(()),
    }
}
