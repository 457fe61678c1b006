//! The stage before the first run: what to do, in ten seconds.

use super::disc::{Form, disc};
use super::icon::{Icon, icon};
use crate::say::use_say;
use rowlock_shared::ids::{Actor, WorkerId};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) ready: bool,
    pub(crate) on_run: Callback<()>,
}

/// The invitation.
#[component]
pub(crate) fn Empty(props: &Props) -> Html {
    let say = use_say();
    let queue: Vec<Html> = [2, 3, 4, 5].iter().map(|n| disc(Actor::Worker(WorkerId(*n)), Form::Ring)).collect();
    html! {
        <section class="card empty" data-testid="empty">
            <div class="sample" aria-hidden="true">
                <span class="lock w1">{ icon(Icon::Lock) }<b>{ "A" }</b></span>
                <span class="waiters"><i></i>{ for queue }</span>
            </div>
            <h2>{ say.t("page-empty-title") }</h2>
            <p class="lead">{ say.t("page-empty-lead") }</p>
            <ol>
                <li>{ say.t("page-empty-1") }</li>
                <li>{ say.t("page-empty-2") }</li>
                <li>{ say.t("page-empty-3") }</li>
            </ol>
            <button class="button primary big" data-testid="run-shop" disabled={!props.ready} onclick={props.on_run.reform(|_| ())}>
                { icon(Icon::Run) }{ say.t("page-run-shop") }
            </button>
        </section>
    }
}
