//! One fixed sample of every message and of every kind of event.

mod events;

pub(crate) use events::{KINDS, events, kind};

use rowlock_shared::event::EndReason;
use rowlock_shared::ids::WorkerId;
use rowlock_shared::program::Point;
use rowlock_shared::scenario::{Mode, Scenario, Shape};
use rowlock_shared::text::Message;
use rowlock_shared::wire::{
    ApiError, CheckAnswer, ErrorCode, Intervention, PresetInfo, RunId, RunInfo, RunStatus, ServerInfo, ToViewer,
    VERSION,
};
use rowlock_shared::world::{Summary, World};
use serde_json::json;

pub(crate) fn scenario() -> Scenario {
    Scenario {
        mode: Mode::Nowait,
        shape: Shape::ClaimCommit,
        workers: 2,
        jobs: 3,
        arrival_rate: 0.1,
        ..Scenario::default()
    }
}

pub(crate) fn summary() -> Summary {
    World::fold(&events()).summary()
}

pub(crate) fn to_viewer() -> Vec<(&'static str, ToViewer)> {
    let events = events();
    let world = Box::new(World::fold(&events));
    let recent = events[events.len() - 2..].to_vec();
    vec![
        (
            "snapshot",
            ToViewer::Snapshot { version: VERSION, run: RunId(7), world, recent: recent.clone(), dropped: 12 },
        ),
        ("events", ToViewer::Events { events: recent }),
        ("end", ToViewer::End { summary: Box::new(summary()) }),
        ("pong", ToViewer::Pong { nonce: (1 << 53) + 1 }),
        ("error", ToViewer::Error { error: errors().remove(0).1 }),
    ]
}

pub(crate) fn interventions() -> Vec<(&'static str, Intervention)> {
    let worker = WorkerId(2);
    vec![
        ("break", Intervention::Break { worker: Some(worker), point: Point::AfterClaim }),
        ("break-all", Intervention::Break { worker: None, point: Point::Anywhere }),
        ("clear", Intervention::Clear { worker: Some(worker), point: Point::AfterClaim }),
        ("resume", Intervention::Resume { worker: Some(worker) }),
        ("step", Intervention::Step { worker }),
        ("crash", Intervention::Crash { worker }),
    ]
}

pub(crate) fn server_info() -> ServerInfo {
    ServerInfo {
        version: VERSION,
        postgres: Some("PostgreSQL 15.18".into()),
        embedded: true,
        fast_not_durable: false,
        notices: vec![Message::new("notice-no-all-stats")],
        max_runs: 4,
    }
}

pub(crate) fn preset_info() -> PresetInfo {
    PresetInfo { id: "shop".into(), scenario: Scenario::default() }
}

/// Each kind of fault that a scenario can have on its own.
pub(crate) fn check_answer() -> CheckAnswer {
    let bad = [
        json!({"workers": 65, "jobs": 2.5, "batch": "many", "reaper": 1, "mode": "hope", "wrokers": 5}),
        json!([1]),
        json!({"fail_probability": 0.6, "crash_probability": 0.6}),
        json!({"arrival": "constant", "arrival_rate": 0.1, "jobs": 100}),
    ];
    CheckAnswer { errors: bad.iter().flat_map(|value| Scenario::from_value(value).expect_err("refused")).collect() }
}

pub(crate) fn run_info() -> RunInfo {
    RunInfo {
        id: RunId(7),
        status: RunStatus::Ended,
        ended: Some(EndReason::Quiescent),
        scenario: scenario(),
        started_at: 1_796_000_000,
        summary: Some(summary()),
        psql: Some("psql -h localhost -p 5433 -U rowlock rowlock".into()),
    }
}

pub(crate) fn errors() -> Vec<(&'static str, ApiError)> {
    let m = |key: &'static str| Message::new(key);
    let plain = |code, message| ApiError { code, message, knobs: Vec::new() };
    let knobs = check_answer().errors;
    let bad_scenario = m("server-bad-scenario").with("count", knobs.len());
    vec![
        ("bad-message", plain(ErrorCode::BadMessage, m("server-unreadable-body").with("why", "EOF at line 1"))),
        ("not-found", plain(ErrorCode::NotFound, m("server-no-such-run").with("run", 7u32))),
        (
            "foreign-origin",
            plain(ErrorCode::ForeignOrigin, m("server-foreign-origin").with("name", "http://elsewhere")),
        ),
        ("too-large", plain(ErrorCode::TooLarge, m("server-too-large").with("max", 65_536u32))),
        ("too-many", plain(ErrorCode::TooMany, m("server-too-many-runs").with("max", 4u32))),
        ("conflict", plain(ErrorCode::Conflict, m("server-goes-on").with("run", 7u32))),
        ("database-down", plain(ErrorCode::DatabaseDown, m("server-database-down").with("why", "connection refused"))),
        ("internal", plain(ErrorCode::Internal, m("server-fault"))),
        ("bad-scenario", ApiError { code: ErrorCode::BadScenario, message: bad_scenario, knobs }),
    ]
}
