//! A line across the page that says what is wrong and what to do.

use super::icon::{Icon, icon};
use crate::say::use_say;
use rowlock_shared::text::Message;
use yew::prelude::*;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Wait,
    Harm,
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) tone: Tone,
    pub(crate) message: Message,
    /// Without it the banner stays as long as its reason does.
    #[prop_or_default]
    pub(crate) on_close: Option<Callback<()>>,
}

/// The banner.
#[component]
pub(crate) fn Banner(props: &Props) -> Html {
    let say = use_say();
    let class = if props.tone == Tone::Harm { "harm" } else { "wait" };
    html! {
        <div class={classes!("banner", class)} role={(props.tone == Tone::Harm).then_some("alert")} data-testid="banner">
            <span>{ say.m(&props.message) }</span>
            if let Some(close) = &props.on_close {
                <button class="quiet" aria-label={say.t("page-close")} onclick={close.reform(|_| ())}>{ icon(Icon::Close) }</button>
            }
        </div>
    }
}
