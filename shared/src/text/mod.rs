//! The message catalogue: every sentence that a person reads, in English and Russian (`locales/`).
//!
//! A [`Message`] is a key with arguments; only the edge that shows it (page, command line, an API answer) renders it.

use fluent_templates::fluent_bundle::FluentValue;
use fluent_templates::{LanguageIdentifier, Loader, langid, static_loader};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

static_loader! {
    static LOCALES = {
        locales: "./locales",
        fallback_language: "en",
        // The marks that Fluent puts around arguments would show up in tests, terminals and copied text.
        customise: |bundle| bundle.set_use_isolating(false),
    };
}

/// The languages of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Russian.
    Ru,
}

impl Lang {
    /// Both.
    pub const ALL: [Lang; 2] = [Lang::En, Lang::Ru];

    /// The language's code.
    pub fn code(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Ru => "ru",
        }
    }

    /// The language that a tag such as `ru-RU` asks for; English for all that is not Russian.
    pub fn from_tag(tag: &str) -> Lang {
        match tag.get(..2) {
            Some(code) if code.eq_ignore_ascii_case("ru") => Lang::Ru,
            _ => Lang::En,
        }
    }

    fn id(self) -> LanguageIdentifier {
        match self {
            Lang::En => langid!("en"),
            Lang::Ru => langid!("ru"),
        }
    }
}

/// A message's argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Arg {
    /// A number: it decides plural forms.
    Number(f64),
    /// Text.
    Text(String),
    /// A part with words of its own in each language: a duration, the name of an actor, a list of them.
    Message(Box<Message>),
}

macro_rules! from_number {
    ($($ty:ty),+) => { $(impl From<$ty> for Arg { fn from(n: $ty) -> Arg { Arg::Number(n as f64) } })+ };
}
from_number!(u8, u32, u64, i32, i64, usize, f64);

impl From<&str> for Arg {
    fn from(text: &str) -> Arg {
        Arg::Text(text.to_owned())
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Arg {
        Arg::Text(text)
    }
}

impl From<Message> for Arg {
    fn from(part: Message) -> Arg {
        Arg::Message(Box::new(part))
    }
}

/// A key of the catalogue with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The key.
    pub key: Cow<'static, str>,
    /// The arguments by name.
    pub args: Vec<(Cow<'static, str>, Arg)>,
}

impl Message {
    /// A message without arguments.
    pub fn new(key: impl Into<Cow<'static, str>>) -> Message {
        Message { key: key.into(), args: Vec::new() }
    }

    /// The message with one more argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Arg>) -> Message {
        self.args.push((name.into(), value.into()));
        self
    }

    /// The sentence.
    pub fn say(&self, lang: Lang) -> String {
        LOCALES.lookup_with_args(&lang.id(), &self.key, &self.arguments(lang))
    }

    fn arguments(&self, lang: Lang) -> HashMap<Cow<'static, str>, FluentValue<'_>> {
        let value = |arg| match arg {
            &Arg::Number(n) => FluentValue::from(n),
            Arg::Text(text) => FluentValue::from(text.as_str()),
            Arg::Message(part) => FluentValue::from(part.say(lang)),
        };
        self.args.iter().map(|(name, arg)| (name.clone(), value(arg))).collect()
    }
}

/// A sentence without arguments.
pub fn say(lang: Lang, key: &str) -> String {
    LOCALES.lookup(&lang.id(), key)
}

/// Whether the catalogue has this key in this language, without falling back. Only for messages without arguments: one
/// that lacks its arguments cannot be said.
pub fn known(lang: Lang, key: &str) -> bool {
    LOCALES.lookup_single_language::<Cow<'static, str>>(&lang.id(), key, None).is_ok()
}

/// The key of a choice's word: `word-<knob>-<word>`, with everything but letters, digits and dashes made a dash.
pub fn word_key(knob: &str, word: &str) -> String {
    let clean = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    format!("word-{}-{}", clean(knob), clean(word))
}

#[cfg(test)]
mod tests;
