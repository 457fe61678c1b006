//! The API over real sockets, with a stand-in for the database: who may ask, what is refused and in which words, caps.

#![allow(clippy::unwrap_used)]

mod support;

use rowlock_backend::runs::Limits;
use rowlock_shared::event::{EndReason, Event};
use rowlock_shared::scenario::{PRESETS, Problem};
use rowlock_shared::text::Lang;
use rowlock_shared::wire::{CheckAnswer, ErrorCode, PresetInfo, RunInfo, RunStatus, ServerInfo, VERSION};
use rowlock_shared::world::Summary;
use support::{Reply, Server, made_up};

/// Waits until the registry shows it.
async fn until(mut check: impl AsyncFnMut() -> bool) {
    while !check().await {
        tokio::task::yield_now().await;
    }
}

fn assert_refused(reply: &Reply, status: u16, code: ErrorCode) {
    assert_eq!((reply.status, reply.refusal().code), (status, code), "{reply:?}");
    for lang in Lang::ALL {
        let sentence = reply.refusal().message.say(lang);
        assert!(!sentence.contains("Unknown localization") && !sentence.contains("{$"), "{sentence}");
    }
}

#[tokio::test]
async fn requests_of_other_sites_are_refused() {
    let server = Server::start().await;
    let own = format!("http://{}", server.address);
    let port = server.address.port().to_string();
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "", &format!("http://evil.example:{port}")] {
        let reply = server.ask("POST", "/api/runs", &[("Origin", origin)], b"{}").await;
        assert_refused(&reply, 403, ErrorCode::ForeignOrigin);
        let reply = server.ask("DELETE", "/api/runs/1", &[("Origin", origin)], b"").await;
        assert_refused(&reply, 403, ErrorCode::ForeignOrigin);
        let upgrade = [("Origin", origin), ("Upgrade", "websocket"), ("Connection", "upgrade, close")];
        let reply = server.ask("GET", "/api/runs/1/stream", &upgrade, b"").await;
        assert_refused(&reply, 403, ErrorCode::ForeignOrigin);
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "192.168.0.1", ""] {
        for (method, path) in [("POST", "/api/runs"), ("GET", "/api/runs"), ("GET", "/")] {
            let reply = server.ask(method, path, &[("Host", host)], b"{}").await;
            assert_refused(&reply, 403, ErrorCode::ForeignOrigin);
        }
    }
    assert!(server.engine.kept().is_empty() && server.runs.list().await.unwrap().is_empty(), "nothing was started");
    assert_eq!(server.ask("POST", "/api/runs", &[("Origin", &own)], b"{}").await.status, 201);
    let host = format!("localhost:{port}");
    let origin = format!("http://{host}");
    let reply = server.ask("POST", "/api/runs", &[("Host", &host), ("Origin", &origin)], b"{}").await;
    assert_eq!(reply.status, 201);
    server.end().await;
}

#[tokio::test]
async fn every_failure_is_a_typed_refusal() {
    let server = Server::start().await;
    let large = "x".repeat(65 << 10);
    let cases = [
        (server.post("/api/runs", &large).await, 413, ErrorCode::TooLarge),
        (server.post("/api/runs", "{").await, 400, ErrorCode::BadMessage),
        (server.post("/api/runs", "").await, 400, ErrorCode::BadMessage),
        (server.post("/api/runs", "[]").await, 422, ErrorCode::BadScenario),
        (server.get("/api/runs/1").await, 404, ErrorCode::NotFound),
        (server.get("/api/runs/99999999999/summary").await, 404, ErrorCode::NotFound),
        (server.get("/api/runs/one/events").await, 404, ErrorCode::NotFound),
        (server.get("/api/nothing").await, 404, ErrorCode::NotFound),
        (server.get("/nothing.js").await, 404, ErrorCode::NotFound),
        (server.get("/../Cargo.toml").await, 404, ErrorCode::NotFound),
        (server.get("/%2e%2e/Cargo.toml").await, 404, ErrorCode::NotFound),
        (server.ask("PUT", "/api/runs", &[], b"").await, 405, ErrorCode::NotFound),
        (server.ask("POST", "/", &[], b"").await, 405, ErrorCode::NotFound),
        (server.get("/api/runs/1/stream").await, 400, ErrorCode::BadMessage),
        (server.get("/api/runs/1/stream?after=x").await, 400, ErrorCode::BadMessage),
        (server.post("/api/runs/1/stop", "").await, 404, ErrorCode::NotFound),
    ];
    for (reply, status, code) in &cases {
        assert_refused(reply, *status, *code);
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'")));
    }
}

#[tokio::test]
async fn a_bad_scenario_names_every_knob() {
    let server = Server::start().await;
    let bad = r#"{"worker": 3, "jobs": 0, "mode": "hope"}"#;
    let refusal = server.post("/api/runs", bad).await.refusal();
    let fields: Vec<&str> = refusal.knobs.iter().map(|knob| knob.field.as_str()).collect();
    assert_eq!((refusal.code, fields.as_slice()), (ErrorCode::BadScenario, &["worker", "mode", "jobs"][..]));
    assert_eq!(refusal.knobs[0].problem, Problem::UnknownField);
    let checked: CheckAnswer = server.post("/api/scenarios/check", bad).await.json();
    assert_eq!(checked.errors, refusal.knobs);
    let checked: CheckAnswer = server.post("/api/scenarios/check", "{}").await.json();
    assert_eq!(checked.errors, []);
}

#[tokio::test]
async fn server_and_presets_are_told() {
    let server = Server::start().await;
    let info: ServerInfo = server.get("/api/server").await.json();
    assert_eq!((info.version, info.postgres.as_deref(), info.max_runs), (VERSION, Some("a stand-in"), 4));
    let presets: Vec<PresetInfo> = server.get("/api/presets").await.json();
    assert_eq!(presets.len(), PRESETS.len());
    let page = server.get("/").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let tag = page.header("etag").unwrap();
    let again = server.ask("GET", "/", &[("If-None-Match", tag)], b"").await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

#[tokio::test]
async fn a_run_is_started_watched_kept_and_forgotten() {
    let server = Server::start().await;
    let run = server.begin("{}").await;
    let info: RunInfo = server.get("/api/runs/1").await.json();
    assert_eq!((info.status, info.psql.as_deref()), (RunStatus::Preparing, Some("psql 1")));
    assert_refused(&server.ask("DELETE", "/api/runs/1", &[], b"").await, 409, ErrorCode::Conflict);
    let step = r#"{"do": "step", "worker": 5}"#;
    assert_eq!(server.post("/api/runs/1/interventions", step).await.status, 204);
    assert_eq!(server.engine.interventions(run).len(), 1);
    let nobody = r#"{"do": "step", "worker": 6}"#;
    assert_refused(&server.post("/api/runs/1/interventions", nobody).await, 400, ErrorCode::BadMessage);

    let all = made_up(1, 700);
    server.engine.comes(run, &all);
    server.engine.dies(run);
    until(async || server.engine.kept() == [run]).await;
    let info: RunInfo = server.get("/api/runs/1").await.json();
    assert_eq!((info.status, info.ended), (RunStatus::Ended, Some(EndReason::Quiescent)));
    let lines = server.get("/api/runs/1/events").await;
    assert_eq!(lines.header("content-type"), Some("application/x-ndjson"));
    let text = unchunked(&lines.body);
    let events: Vec<Event> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events, all);
    let summary: Summary = server.get("/api/runs/1/summary").await.json();
    assert_eq!(Some(summary), info.summary);
    assert_refused(&server.post("/api/runs/1/interventions", step).await, 409, ErrorCode::Conflict);

    assert_eq!(server.ask("DELETE", "/api/runs/1", &[], b"").await.status, 204);
    assert_eq!(server.get("/api/runs/1").await.status, 404);
    assert!(server.engine.kept().is_empty() && server.engine.cleared() == [run]);
}

/// Puts the pieces of a chunked body together.
fn unchunked(body: &str) -> String {
    let (mut text, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        text += &after[..size];
        rest = &after[size + 2..];
    }
    text
}

#[tokio::test]
async fn a_kept_run_is_read_back_from_the_database() {
    let server = Server::with_limits(Limits { in_memory: 0, ..Limits::default() }).await;
    let first = server.begin("{}").await;
    let all = made_up(2, 1500);
    server.engine.comes(first, &all);
    server.engine.dies(first);
    until(async || server.engine.kept() == [first]).await;
    // The next run's end drops the first one's schema and lets go of its events.
    let second = server.begin("{}").await;
    assert_eq!(server.post("/api/runs/2/stop", "").await.status, 204);
    until(async || server.engine.cleared() == [first] && server.engine.kept() == [first, second]).await;
    let hub = server.runs.hub(first).await.unwrap();
    assert_eq!(*hub.world(), rowlock_shared::world::World::fold(&all));
    let listed: Vec<RunInfo> = server.get("/api/runs").await.json();
    let ids: Vec<_> = listed.iter().map(|info| info.id).collect();
    assert_eq!(ids, [second, first], "newest first, each once");
}

#[tokio::test]
async fn there_is_room_for_so_many_runs() {
    let server = Server::with_limits(Limits { runs: 2, ..Limits::default() }).await;
    let first = server.begin("{}").await;
    server.begin("{}").await;
    assert_refused(&server.post("/api/runs", "{}").await, 429, ErrorCode::TooMany);
    server.engine.ends(first, EndReason::Quiescent);
    until(async || server.runs.hub(first).await.unwrap().is_over()).await;
    server.begin("{}").await;
}

#[tokio::test]
async fn a_run_with_an_open_snapshot_is_alone() {
    let server = Server::start().await;
    let alone = r#"{"open_snapshot": true}"#;
    let first = server.begin("{}").await;
    assert_refused(&server.post("/api/runs", alone).await, 409, ErrorCode::Conflict);
    server.engine.ends(first, EndReason::Quiescent);
    until(async || server.runs.hub(first).await.unwrap().is_over()).await;
    server.begin(alone).await;
    assert_refused(&server.post("/api/runs", "{}").await, 409, ErrorCode::Conflict);
}

#[tokio::test]
async fn a_run_outlives_the_database() {
    let server = Server::with_limits(Limits { patience: std::time::Duration::ZERO, ..Limits::default() }).await;
    let run = server.begin("{}").await;
    server.engine.comes(run, &made_up(3, 50)[..49]);
    server.engine.set_lost(true);
    server.engine.ends(run, EndReason::DatabaseLost);
    until(async || server.runs.hub(run).await.unwrap().is_over()).await;
    assert_refused(&server.post("/api/runs", "{}").await, 503, ErrorCode::DatabaseDown);
    let listed: Vec<RunInfo> = server.get("/api/runs").await.json();
    assert_eq!((listed.len(), listed[0].ended), (1, Some(EndReason::DatabaseLost)));
    assert!(server.engine.kept().is_empty());
    server.engine.set_lost(false);
    server.database.set_up(std::sync::Arc::new(server.engine.clone()));
    until(async || server.engine.kept() == [run]).await;
    server.begin("{}").await;
}

#[tokio::test]
async fn a_run_whose_thread_dies_ends_as_failed() {
    let server = Server::start().await;
    let run = server.begin("{}").await;
    server.engine.comes(run, &made_up(4, 50)[..20]);
    server.engine.dies(run);
    until(async || server.engine.kept() == [run]).await;
    let info: RunInfo = server.get("/api/runs/1").await.json();
    assert_eq!(info.ended, Some(EndReason::Failed));
}

#[tokio::test]
async fn the_end_stops_runs_and_keeps_them() {
    let server = Server::start().await;
    let run = server.begin("{}").await;
    server.engine.comes(run, &made_up(5, 50)[..20]);
    server.runs.close().await;
    assert_eq!((server.engine.kept(), server.engine.cleared()), (vec![run], vec![run]));
    assert_refused(&server.post("/api/runs", "{}").await, 503, ErrorCode::DatabaseDown);
}
