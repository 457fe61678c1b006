//! A worker's mark: a letter in its colour, the same everywhere.

use rowlock_shared::ids::{Actor, WorkerId};
use yew::prelude::*;

/// Colours of the palette.
const COLOURS: u32 = 8;

/// The class that carries a worker's colour.
pub(crate) fn colour(worker: WorkerId) -> String {
    format!("w{}", worker.0.saturating_sub(1) % COLOURS + 1)
}

/// The class of anyone's colour.
pub(crate) fn colour_of(who: Actor) -> String {
    who.worker().map_or_else(|| "w-other".to_owned(), colour)
}

/// How a disc is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Filled: does or holds something.
    Solid,
    /// A ring: waits.
    Ring,
}

/// The disc of a worker, or the short name of anyone else.
pub(crate) fn disc(who: Actor, form: Form) -> Html {
    let shape = if form == Form::Ring { "ring" } else { "solid" };
    let kind = if who.worker().is_some() { "disc" } else { "tag" };
    html! { <span class={classes!(kind, shape, colour_of(who))}>{ who.mark() }</span> }
}
