//! The strip of figures above the stage.

use super::figures::{Feel, Figure, figures};
use crate::fmt;
use crate::say::{Say, use_say};
use crate::store::View;
use rowlock_shared::world::JobState;
use yew::prelude::*;

/// The first so many figures stand large.
const LARGE: usize = 7;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    pub(crate) now: u64,
}

/// The strip.
#[component]
pub(crate) fn Counters(props: &Props) -> Html {
    let say = use_say();
    let store = props.view.read();
    let all = figures(&store.world, props.now, say.0);
    html! {
        <div class="figures">
            <dl class="large">{ for all.iter().take(LARGE).map(|one| figure(say, one)) }</dl>
            <dl class="small">{ for all.iter().skip(LARGE).map(|one| figure(say, one)) }</dl>
        </div>
    }
}

fn figure(say: Say, figure: &Figure) -> Html {
    let feel = match figure.feel {
        Feel::Quiet => "zero",
        Feel::Plain => "",
        Feel::Wait => "wait",
        Feel::Harm => "harm",
    };
    let name = figure.name;
    html! {
        <div key={name} class={classes!("figure", feel)} title={say.t(&format!("page-figure-{name}-about"))}>
            <dt>{ say.t(&format!("page-figure-{name}")) }</dt>
            <dd data-testid={format!("counter-{name}")} data-value={figure.raw.map(|raw| raw.to_string())}>
                if figure.at_least { <span class="least" title={say.t("page-at-least")}>{ "≥" }</span> }
                { &figure.text }
            </dd>
        </div>
    }
}

/// The states of all jobs as one bar with its numbers: the bar is for the eye, the numbers say the same.
#[component]
pub(crate) fn States(props: &Props) -> Html {
    let say = use_say();
    let store = props.view.read();
    let world = &store.world;
    let all = world.jobs.len().max(1) as f64;
    let states = [
        (JobState::Done, "done"),
        (JobState::Processing, "processing"),
        (JobState::Queued, "queued"),
        (JobState::Failed, "failed"),
    ];
    let mut from = 0.0;
    html! {
        <div class="states">
            <svg aria-hidden="true" width="100%" height="6" preserveAspectRatio="none">
                { for states.iter().map(|(state, word)| {
                    let share = f64::from(world.count(*state)) / all * 100.0;
                    let x = from;
                    from += share;
                    html! { <rect class={*word} x={format!("{x:.3}%")} y="0" height="6" width={format!("{share:.3}%")} /> }
                }) }
            </svg>
            <ul>
                { for states.iter().map(|(state, word)| {
                    let n = world.count(*state);
                    html! {
                        <li class={classes!(*word, (n == 0).then_some("zero"))}>
                            <i></i><b data-testid={format!("counter-{word}")} data-value={n.to_string()}>{ fmt::whole(say.0, n) }</b>
                            { " " }{ say.t(&format!("state-{word}")) }
                        </li>
                    }
                }) }
            </ul>
        </div>
    }
}
