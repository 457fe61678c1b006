//! The stage: figures, workers, the jobs table, and the customers apart.

use super::counters::{Counters, States};
use super::customers::Customers;
use super::jobs::Jobs;
use super::workers::Workers;
use crate::fmt;
use crate::form;
use crate::prefs::Theme;
use crate::say::{Say, use_say};
use crate::store::View;
use rowlock_shared::ids::WorkerId;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::text::{Message, word_key};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    /// The same at a slower pace.
    pub(crate) slow: View,
    pub(crate) now: u64,
    pub(crate) theme: Theme,
    pub(crate) selected: WorkerId,
    pub(crate) on_select: Callback<WorkerId>,
}

/// The stage.
#[component]
pub(crate) fn Stage(props: &Props) -> Html {
    let say = use_say();
    let view = &props.view;
    let store = view.read();
    let many = store.world.workers.len() > 10;
    html! {
        <section class="card stage" aria-labelledby="stage-title">
            { title(say, store.world.scenario.as_deref(), props.now) }
            <Counters view={view.clone()} now={props.now} />
            <States view={view.clone()} now={props.now} />
            <div class={classes!("floor", many.then_some("many"))}>
                <Workers view={view.clone()} now={props.now} selected={props.selected} on_select={props.on_select.clone()} />
                <Jobs view={view.clone()} slow={props.slow.clone()} now={props.now} theme={props.theme} />
                <Customers view={props.slow.clone()} />
            </div>
        </section>
    }
}

/// Mode and shape of the run on the stage, and the other knobs that are not as usual.
fn title(say: Say, scenario: Option<&Scenario>, now: u64) -> Html {
    let Some(scenario) = scenario else {
        return html! { <h2 class="title" id="stage-title">{ say.t("page-preparing") }</h2> };
    };
    let differs = form::differences(scenario).into_iter().filter(|(name, _)| !matches!(*name, "shape" | "time_scale"));
    let chips = differs.map(|(name, value)| html! { <code key={name}>{ name }{ " " }{ value }</code> });
    html! {
        <h2 class="title" id="stage-title">
            <span>{ say.t(&format!("page-mode-{}", scenario.mode.word())) }</span>
            <small>{ say.or(&word_key("shape", scenario.shape.word()), scenario.shape.word()) }</small>
            if scenario.time_scale != 1.0 {
                <small class="wait" data-testid="time-scale">
                    { say.m(&Message::new("page-time-scale").with("factor", fmt::number(say.0, scenario.time_scale, usize::from(scenario.time_scale.fract() != 0.0)))) }
                </small>
            }
            <span class="chips">{ for chips }</span>
            <time>{ fmt::moment(say.0, now) }</time>
        </h2>
    }
}
