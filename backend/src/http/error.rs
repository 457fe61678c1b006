//! Refusals: from the errors of the layers below to JSON with a status.

use crate::runs::RunError;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, http};
use rowlock_shared::text::Message;
use rowlock_shared::wire::{ApiError, ErrorCode};

/// A refusal on its way out.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: ApiError,
}

/// What a handler answers.
pub(super) type Answer<T> = Result<T, Refusal>;

impl Refusal {
    /// A refusal of this kind, with the status that goes with it.
    pub(super) fn new(code: ErrorCode, message: Message) -> Refusal {
        let status = match code {
            ErrorCode::BadScenario => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::BadMessage => StatusCode::BAD_REQUEST,
            ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::ForeignOrigin => StatusCode::FORBIDDEN,
            ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::TooMany => StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::Conflict => StatusCode::CONFLICT,
            ErrorCode::DatabaseDown => StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal { status, error: ApiError { code, message, knobs: Vec::new() } }
    }

    /// What cannot be read, and why.
    pub(super) fn unreadable(why: impl ToString) -> Refusal {
        Refusal::new(ErrorCode::BadMessage, Message::new("server-unreadable-body").with("why", why.to_string()))
    }

    /// The refusal as it goes into a stream.
    pub(super) fn into_error(self) -> ApiError {
        self.error
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(self.error)).into_response()
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Refusal {
        let message = error.message();
        let code = match &error {
            RunError::BadScenario(_) => ErrorCode::BadScenario,
            RunError::NoSuchRun(_) => ErrorCode::NotFound,
            RunError::TooManyRuns { .. } | RunError::TooManyViewers { .. } => ErrorCode::TooMany,
            RunError::AnotherIsExclusive { .. } | RunError::MustBeAlone { .. } => ErrorCode::Conflict,
            RunError::GoesOn(_) | RunError::BeingKept(_) | RunError::IsOver(_) => ErrorCode::Conflict,
            RunError::NoSuchWorker { .. } => ErrorCode::BadMessage,
            RunError::DatabaseDown { .. } | RunError::Closing => ErrorCode::DatabaseDown,
            RunError::Database(error) if error.is_lost() => ErrorCode::DatabaseDown,
            RunError::Database(_) | RunError::Unreadable { .. } | RunError::Fault(_) => ErrorCode::Internal,
        };
        if code == ErrorCode::Internal {
            tracing::error!(%error, "a request failed");
        }
        let mut refusal = Refusal::new(code, message);
        if let RunError::BadScenario(knobs) = error {
            refusal.error.knobs = knobs;
        }
        refusal
    }
}

impl From<BytesRejection> for Refusal {
    fn from(rejection: BytesRejection) -> Refusal {
        if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            let message = Message::new("server-too-large").with("max", super::MAX_BODY);
            return Refusal::new(ErrorCode::TooLarge, message);
        }
        Refusal::unreadable(rejection.body_text())
    }
}

impl From<PathRejection> for Refusal {
    fn from(_: PathRejection) -> Refusal {
        Refusal::new(ErrorCode::NotFound, Message::new("server-bad-run-number"))
    }
}

impl From<QueryRejection> for Refusal {
    fn from(rejection: QueryRejection) -> Refusal {
        Refusal::unreadable(rejection.body_text())
    }
}

impl From<WebSocketUpgradeRejection> for Refusal {
    fn from(rejection: WebSocketUpgradeRejection) -> Refusal {
        let message = Message::new("server-no-websocket").with("why", rejection.body_text());
        Refusal::new(ErrorCode::BadMessage, message)
    }
}

/// A path of the API that there is not.
pub(super) fn no_such_path(uri: &Uri) -> Refusal {
    Refusal::new(ErrorCode::NotFound, Message::new("server-no-such-path").with("path", uri.path()))
}

/// A path that does not take this method.
pub(super) async fn wrong_method(method: Method, uri: Uri) -> Refusal {
    let message = Message::new("server-wrong-method").with("method", method.as_str()).with("path", uri.path());
    Refusal { status: http::StatusCode::METHOD_NOT_ALLOWED, ..Refusal::new(ErrorCode::NotFound, message) }
}
