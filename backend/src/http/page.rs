//! The built page, embedded from `dist/` (read from disk in debug builds).
//!
//! `cargo xtask` keeps a `.br` and a `.gz` beside each file of text; the smallest form that the browser takes is sent.
//! Names do not change from build to build, so that every file is asked for again each time, by its ETag.

use super::error::no_such_path;
use axum::body::Body;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "../dist"]
struct Dist;

/// Compressed forms, best first: the word of Accept-Encoding and the extension.
const FORMS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// Everything that is no path of the API.
pub(super) async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path() {
        "/" => "index.html",
        other => other.trim_start_matches('/'),
    };
    if path == "api" || path.starts_with("api/") {
        return no_such_path(&uri).into_response();
    }
    let Some(plain) = Dist::get(path) else { return no_such_path(&uri).into_response() };
    if method != Method::GET && method != Method::HEAD {
        return super::error::wrong_method(method, uri).await.into_response();
    }
    let (form, file) = smallest(path, &headers).map_or((None, plain), |(form, file)| (Some(form), file));
    let tag = etag(&file);
    let mut response = match matches(&headers, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => Body::from(file.data.into_owned()).into_response(),
    };
    let mut set = |name, value: &str| {
        // Our own words and hex digits are always valid in a header.
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, content_type(path));
    set(header::ETAG, &tag);
    set(header::VARY, "accept-encoding");
    set(header::CACHE_CONTROL, "no-cache");
    if let Some(form) = form {
        set(header::CONTENT_ENCODING, form);
    }
    response
}

/// The best compressed form that there is and that the browser takes.
fn smallest(path: &str, headers: &HeaderMap) -> Option<(&'static str, EmbeddedFile)> {
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    let takes = |form: &str| accepted.split(',').any(|offer| accepts(offer, form));
    FORMS.iter().find_map(|(form, suffix)| {
        let file = takes(form).then(|| Dist::get(&format!("{path}{suffix}"))).flatten()?;
        Some((*form, file))
    })
}

/// Whether one part of Accept-Encoding, such as `br;q=0.9`, names this form and does not rule it out by `q=0`.
fn accepts(offer: &str, form: &str) -> bool {
    let mut parts = offer.split(';').map(str::trim);
    let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(form));
    let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse::<f32>);
    named && weight.is_ok_and(|weight| weight > 0.0)
}

/// The first half of the file's SHA-256.
fn etag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    let hex: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}

fn matches(headers: &HeaderMap, tag: &str) -> bool {
    let asked = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    asked.split(',').map(|one| one.trim().trim_start_matches("W/")).any(|one| one == tag || one == "*")
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::accepts;

    #[test]
    fn a_form_is_sent_only_to_who_takes_it() {
        assert!(accepts(" br", "br") && accepts("gzip;q=0.5", "gzip") && accepts("BR ; q=1.0", "br"));
        assert!(!accepts("br;q=0", "br") && !accepts("gzip", "br") && !accepts("", "br") && !accepts("br;q=x", "br"));
    }
}
