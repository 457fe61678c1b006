//! The REST handlers, thin: read, ask the registry, answer.

use super::Site;
use super::error::{Answer, Refusal};
use crate::runs::Segment;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rowlock_shared::scenario::{PRESETS, Scenario};
use rowlock_shared::wire::{CheckAnswer, Intervention, PresetInfo, RunId, RunInfo, ServerInfo, VERSION};
use rowlock_shared::world::Summary;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use std::sync::Arc;

/// A run's number in the path; a part that is none names no run.
pub(super) type RunPath = Result<Path<RunId>, PathRejection>;

/// A body that may be too large, or break off.
type Sent = Result<Bytes, BytesRejection>;

pub(super) async fn server(State(site): State<Site>) -> Json<ServerInfo> {
    let (postgres, notices) = site.runs.engine().unzip();
    Json(ServerInfo {
        version: VERSION,
        postgres,
        embedded: site.embedded,
        fast_not_durable: site.fast_not_durable,
        notices: notices.unwrap_or_default(),
        max_runs: site.runs.limits().runs,
    })
}

pub(super) async fn presets() -> Json<Vec<PresetInfo>> {
    Json(PRESETS.iter().map(|preset| PresetInfo { id: preset.id.into(), scenario: (preset.scenario)() }).collect())
}

pub(super) async fn check(body: Sent) -> Answer<Json<CheckAnswer>> {
    let errors = Scenario::from_value(&read(body)?).err().unwrap_or_default();
    Ok(Json(CheckAnswer { errors }))
}

pub(super) async fn start(State(site): State<Site>, body: Sent) -> Answer<(StatusCode, Json<RunInfo>)> {
    let scenario = Scenario::from_value(&read(body)?).map_err(crate::runs::RunError::BadScenario)?;
    Ok((StatusCode::CREATED, Json(site.runs.start(scenario).await?)))
}

pub(super) async fn list(State(site): State<Site>) -> Answer<Json<Vec<RunInfo>>> {
    Ok(Json(site.runs.list().await?))
}

pub(super) async fn info(State(site): State<Site>, run: RunPath) -> Answer<Json<RunInfo>> {
    let Path(run) = run?;
    Ok(Json(site.runs.info(run).await?))
}

pub(super) async fn summary(State(site): State<Site>, run: RunPath) -> Answer<Json<Summary>> {
    let Path(run) = run?;
    Ok(Json(site.runs.summary(run).await?))
}

/// The events so far, piece by piece: a long run has 200 MB of them.
pub(super) async fn events(State(site): State<Site>, run: RunPath) -> Answer<Response> {
    let Path(run) = run?;
    let segments = site.runs.hub(run).await?.segments();
    let text = |segment: Arc<Segment>| Ok::<_, Infallible>(Bytes::copy_from_slice(segment.text().as_bytes()));
    let body = Body::from_stream(futures_util::stream::iter(segments.into_iter().map(text)));
    let name = format!("attachment; filename=\"rowlock-run-{run}.jsonl\"");
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson".to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, body).into_response())
}

pub(super) async fn stop(State(site): State<Site>, run: RunPath) -> Answer<StatusCode> {
    let Path(run) = run?;
    site.runs.stop(run).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn intervene(State(site): State<Site>, run: RunPath, body: Sent) -> Answer<StatusCode> {
    let Path(run) = run?;
    let what: Intervention = read(body)?;
    site.runs.intervene(run, what).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn delete(State(site): State<Site>, run: RunPath) -> Answer<StatusCode> {
    let Path(run) = run?;
    site.runs.delete(run).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn read<T: DeserializeOwned>(body: Sent) -> Answer<T> {
    serde_json::from_slice(&body?).map_err(Refusal::unreadable)
}
