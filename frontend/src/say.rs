//! The reader's language as a context: every component asks it for its sentences.

use rowlock_shared::text::{self, Lang, Message};
use yew::prelude::*;

/// The language in which the page speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Say(pub(crate) Lang);

impl Say {
    /// A sentence without arguments.
    pub(crate) fn t(self, key: &str) -> String {
        text::say(self.0, key)
    }

    /// A message with its arguments.
    pub(crate) fn m(self, message: &Message) -> String {
        message.say(self.0)
    }

    /// A sentence that the catalogue may not have, such as the name of a value that a newer server knows.
    pub(crate) fn or(self, key: &str, fallback: &str) -> String {
        if text::known(self.0, key) { self.t(key) } else { fallback.to_owned() }
    }
}

/// The page's language.
#[hook]
pub(crate) fn use_say() -> Say {
    use_context::<Say>().unwrap_or_default()
}
