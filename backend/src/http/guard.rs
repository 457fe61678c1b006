//! Who may ask, and what every answer carries.
//!
//! A server on the loopback is reachable by every page that the same browser shows. Two checks keep those out: the
//! `Host` must be a name that this server has (a page that points its own name at 127.0.0.1 is refused), and an `Origin`
//! must be this very server (a page of another site cannot start, stop, delete or watch).

use super::Site;
use super::error::Refusal;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use rowlock_shared::text::Message;
use rowlock_shared::wire::ErrorCode;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

/// Only files of this server run or are shown, nothing is framed, nothing is sent elsewhere. WebAssembly needs its own
/// word to compile; bars and positions are set through style attributes; the icon is a data: address.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                      img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The names by which a server may be asked.
#[derive(Debug)]
pub struct Hosts {
    bound: IpAddr,
    allowed: Vec<String>,
}

impl Hosts {
    /// The address that it listens on, and what else it is called (behind a proxy, on a local network).
    pub fn new(bound: IpAddr, allowed: Vec<String>) -> Hosts {
        Hosts { bound, allowed }
    }

    /// Whether this is a name of the server. An IP address cannot be pointed elsewhere by anyone, so that a server that
    /// listens on all of its addresses goes by each of them.
    pub fn allows(&self, host: &str) -> bool {
        let name = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
        if let Ok(address) = name.parse::<IpAddr>() {
            return address.is_loopback() || address == self.bound || self.bound.is_unspecified();
        }
        let name = name.to_ascii_lowercase();
        let is_local = name == "localhost" || name.ends_with(".localhost");
        is_local || self.allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(&name))
    }
}

/// Refuses foreign hosts and origins.
pub(super) async fn check_sender(State(site): State<Site>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST).or_else(|| request.uri().authority().map(Authority::as_str)).unwrap_or_default();
    let known = host.parse::<Authority>().is_ok_and(|authority| site.hosts.allows(authority.host()));
    if !known {
        return foreign("server-foreign-host", host);
    }
    let changes = !request.method().is_safe() || headers.contains_key(header::UPGRADE);
    if changes && headers.contains_key(header::ORIGIN) {
        let origin = text(header::ORIGIN).unwrap_or_default();
        let same = origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host));
        if !same {
            return foreign("server-foreign-origin", origin);
        }
    }
    next.run(request).await
}

fn foreign(key: &'static str, name: &str) -> Response {
    tracing::warn!(name, "{key}");
    Refusal::new(ErrorCode::ForeignOrigin, Message::new(key).with("name", name)).into_response()
}

/// A panic of a handler becomes an answer; the server goes on.
pub(super) async fn catch_panics(request: Request, next: Next) -> Response {
    // Nothing that a handler leaves half done is seen again: what is shared is behind locks that outlive a panic.
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!("a handler panicked");
            Refusal::new(ErrorCode::Internal, Message::new("server-fault")).into_response()
        }
    }
}

/// Headers of every answer.
pub(super) async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers: [(HeaderName, &'static str); 4] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    // Answers of the API are of the moment; the page's files say so themselves, with an ETag.
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn a_server_goes_by_its_own_names_only() {
        let local = Hosts::new([127, 0, 0, 1].into(), vec!["class.example".into()]);
        for name in ["127.0.0.1", "localhost", "LOCALHOST", "rowlock.localhost", "[::1]", "class.example", "127.0.0.2"]
        {
            assert!(local.allows(name), "{name}");
        }
        for name in ["", "192.168.1.5", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0"] {
            assert!(!local.allows(name), "{name}");
        }
        let open = Hosts::new([0, 0, 0, 0].into(), Vec::new());
        assert!(open.allows("192.168.1.5") && !open.allows("evil.example"));
    }
}
