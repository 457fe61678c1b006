//! Why a command ended without success, and the status that says so.

use crate::cluster::ClusterError;
use crate::live::LiveError;
use crate::runs::RunError;
use rowlock_shared::scenario::KnobError;
use rowlock_shared::text::{Lang, Message};
use std::process::ExitCode;

/// What goes to standard error before the program ends.
#[derive(Debug)]
pub(super) enum Failure {
    /// The person has to type something else.
    Usage(Vec<Message>),
    /// Something did not work.
    Broken(Message),
    /// Ctrl-C or SIGTERM before there was anything to tell.
    Interrupted,
}

impl Failure {
    /// One thing to type differently.
    pub(super) fn usage(message: Message) -> Failure {
        Failure::Usage(vec![message])
    }

    /// What the operating system refused; the message takes `why`.
    pub(super) fn of_system(key: &'static str, error: impl ToString) -> Failure {
        Failure::Broken(Message::new(key).with("why", error.to_string()))
    }

    /// The sentences, a line each.
    pub(super) fn say(&self, lang: Lang) -> String {
        match self {
            Failure::Usage(messages) => {
                messages.iter().map(|message| message.say(lang)).collect::<Vec<_>>().join("\nrowlock: ")
            }
            Failure::Broken(message) => message.say(lang),
            Failure::Interrupted => Message::new("server-interrupted").say(lang),
        }
    }

    /// The exit status.
    pub(super) fn code(&self) -> ExitCode {
        match self {
            Failure::Usage(_) => ExitCode::from(2),
            Failure::Broken(_) => ExitCode::from(1),
            Failure::Interrupted => ExitCode::from(130),
        }
    }
}

impl From<Vec<KnobError>> for Failure {
    fn from(errors: Vec<KnobError>) -> Failure {
        Failure::Usage(errors.iter().map(KnobError::message).collect())
    }
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Failure {
        Failure::of_system("server-no-cluster", error)
    }
}

impl From<LiveError> for Failure {
    fn from(error: LiveError) -> Failure {
        Failure::Broken(error.message())
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::BadScenario(errors) => errors.into(),
            other => Failure::Broken(other.message()),
        }
    }
}
