//! The server's REST answers. Addresses are relative, so that the page works below any path.

use gloo_net::http::{Request, RequestBuilder, Response};
use rowlock_shared::event::Event;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::text::Message;
use rowlock_shared::wire::{ApiError, ErrorCode, Intervention, RunId, RunInfo, ServerInfo};
use serde::de::DeserializeOwned;

/// Why a request brought no answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// The server refused, and said why.
    Refused(ApiError),
    /// No server, or one that speaks another language.
    Unreachable(String),
}

impl Problem {
    /// The sentence for the reader.
    pub(crate) fn message(&self) -> Message {
        match self {
            Problem::Refused(error) => error.message.clone(),
            Problem::Unreachable(why) => Message::new("page-unreachable").with("why", why.as_str()),
        }
    }

    /// Whether the database is what is missing.
    pub(crate) fn is_database_down(&self) -> bool {
        matches!(self, Problem::Refused(error) if error.code == ErrorCode::DatabaseDown)
    }
}

impl From<gloo_net::Error> for Problem {
    fn from(error: gloo_net::Error) -> Problem {
        Problem::Unreachable(error.to_string())
    }
}

type Answer<T> = Result<T, Problem>;

/// What the server is.
pub(crate) async fn server() -> Answer<ServerInfo> {
    read(Request::get("api/server").send().await?).await
}

/// The runs, newest first.
pub(crate) async fn runs() -> Answer<Vec<RunInfo>> {
    read(Request::get("api/runs").send().await?).await
}

/// One run.
pub(crate) async fn run(id: RunId) -> Answer<RunInfo> {
    read(Request::get(&format!("api/runs/{id}")).send().await?).await
}

/// Starts a run.
pub(crate) async fn start(scenario: Scenario) -> Answer<RunInfo> {
    read(Request::post("api/runs").json(&scenario)?.send().await?).await
}

/// Asks a run to stop.
pub(crate) async fn stop(id: RunId) -> Answer<()> {
    done(Request::post(&format!("api/runs/{id}/stop"))).await
}

/// Forgets a run.
pub(crate) async fn delete(id: RunId) -> Answer<()> {
    done(Request::delete(&format!("api/runs/{id}"))).await
}

/// Meddles with a run.
pub(crate) async fn intervene(id: RunId, what: Intervention) -> Answer<()> {
    accepted(Request::post(&format!("api/runs/{id}/interventions")).json(&what)?.send().await?).await.map(drop)
}

/// Every event of a run, as the server keeps it: JSON lines.
pub(crate) async fn events(id: RunId) -> Answer<String> {
    let answer = Request::get(&format!("api/runs/{id}/events")).send().await?;
    Ok(accepted(answer).await?.text().await?)
}

/// Reads events from JSON lines; an empty line is none.
///
/// # Errors
/// The first line that is no event, with its number.
pub(crate) fn read_events(text: &str) -> Result<Vec<Event>, Message> {
    let lines = (1u32..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let events = lines.map(|(number, line)| {
        serde_json::from_str::<Event>(line)
            .map_err(|why| Message::new("page-bad-recording").with("line", number).with("why", why.to_string()))
    });
    let events: Vec<Event> = events.collect::<Result<_, _>>()?;
    if events.is_empty() { Err(Message::new("page-empty-recording")) } else { Ok(events) }
}

async fn done(request: RequestBuilder) -> Answer<()> {
    accepted(request.send().await?).await.map(drop)
}

async fn read<T: DeserializeOwned>(answer: Response) -> Answer<T> {
    Ok(accepted(answer).await?.json().await?)
}

async fn accepted(answer: Response) -> Answer<Response> {
    if answer.ok() {
        return Ok(answer);
    }
    let status = format!("{} {}", answer.status(), answer.status_text());
    Err(match answer.json::<ApiError>().await {
        Ok(error) => Problem::Refused(error),
        Err(_) => Problem::Unreachable(status),
    })
}
