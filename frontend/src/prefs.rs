//! What the reader chose, kept in the browser.

use crate::browser;
use gloo_storage::{LocalStorage, Storage};
use rowlock_shared::text::Lang;
use serde::{Deserialize, Serialize};

const LANG: &str = "rowlock.lang";
const THEME: &str = "rowlock.theme";

/// The colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    /// The next one, for a button that goes round.
    pub(crate) fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// The language chosen before, or the browser's.
pub(crate) fn lang() -> Lang {
    LocalStorage::get(LANG).unwrap_or_else(|_| Lang::from_tag(&browser::language()))
}

/// The theme chosen before, or the system's.
pub(crate) fn theme() -> Theme {
    LocalStorage::get(THEME).unwrap_or_default()
}

/// Keeps a language. A browser that stores nothing forgets it: no harm.
pub(crate) fn keep_lang(lang: Lang) {
    let _ = LocalStorage::set(LANG, lang);
}

/// Keeps a theme.
pub(crate) fn keep_theme(theme: Theme) {
    let _ = LocalStorage::set(THEME, theme);
}
