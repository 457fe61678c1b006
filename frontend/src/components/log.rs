//! What happened, sentence by sentence, each with its evidence.

use super::disc::colour_of;
use crate::fmt;
use crate::say::use_say;
use crate::store::{Line, View};
use rowlock_shared::event::Evidence;
use rowlock_shared::ids::WorkerId;
use rowlock_shared::narrate::Tone;
use rowlock_shared::text::Message;
use std::rc::Rc;
use yew::prelude::*;

/// Lines drawn while the log follows the run; all that are kept while it is paused.
const FOLLOWED: usize = 60;

/// More than the store keeps.
const ALL: usize = 1_000;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    pub(crate) selected: WorkerId,
}

/// The log.
#[component]
pub(crate) fn Log(props: &Props) -> Html {
    let say = use_say();
    let only = use_state_eq(|| false);
    let aloud = use_state_eq(|| false);
    // The lines as they stood when the reader paused.
    let paused = use_state(|| None::<Vec<Rc<Line>>>);
    let scroller = use_node_ref();
    let filter = only.then_some(props.selected);
    let store = props.view.read();
    let lines = match &*paused {
        Some(kept) => kept.iter().filter(|line| filter.is_none() || line.who.worker() == filter).cloned().collect(),
        None => store.log.last(FOLLOWED, filter),
    };
    let newest = lines.last().map_or(0, |line| line.seq);
    {
        let (scroller, follows) = (scroller.clone(), paused.is_none());
        use_effect_with((newest, follows), move |(_, follows)| {
            if let Some(element) = scroller.cast::<web_sys::Element>().filter(|_| *follows) {
                element.set_scroll_top(element.scroll_height());
            }
        });
    }
    let pause = {
        let (paused, view) = (paused.clone(), props.view.clone());
        Callback::from(move |_: MouseEvent| {
            let kept = paused.is_none().then(|| view.read().log.last(ALL, None));
            paused.set(kept);
        })
    };
    let toggle = |state: UseStateHandle<bool>| Callback::from(move |_: MouseEvent| state.set(!*state));
    let letter = props.selected.letter();
    html! {
        <section class="card log" aria-label={say.t("page-log")}>
            <h2>{ say.t("page-log") }
                <span class="grow"></span>
                <button class="link" aria-pressed={only.to_string()} data-testid="log-filter" onclick={toggle(only.clone())}>
                    { say.m(&Message::new("page-log-only").with("who", letter)) }
                </button>
                <button class="link" aria-pressed={paused.is_some().to_string()} data-testid="log-pause" onclick={pause}>{ say.t("page-log-pause") }</button>
                <button class="link" aria-pressed={aloud.to_string()} data-testid="log-aloud" title={say.t("page-log-aloud-about")} onclick={toggle(aloud.clone())}>
                    { say.t("page-log-aloud") }
                </button>
            </h2>
            <ol class="lines" ref={scroller} data-testid="log" tabindex="0" aria-live={if *aloud { "polite" } else { "off" }}>
                if lines.is_empty() { <li class="none">{ say.t("page-log-empty") }</li> }
                { for lines.into_iter().map(|line| {
                    let key = line.seq;
                    html! { <Sentence {key} {line} /> }
                }) }
            </ol>
        </section>
    }
}

#[derive(Properties)]
struct SentenceProps {
    line: Rc<Line>,
}

impl PartialEq for SentenceProps {
    fn eq(&self, other: &SentenceProps) -> bool {
        Rc::ptr_eq(&self.line, &other.line)
    }
}

#[component]
fn Sentence(props: &SentenceProps) -> Html {
    let say = use_say();
    let line = &props.line;
    let tone = match line.tone {
        Tone::Quiet => "",
        Tone::Good => "good",
        Tone::Waiting => "wait",
        Tone::Harm => "harm",
    };
    let evidence = match line.evidence {
        Evidence::Executed => "executed",
        Evidence::Observed => "observed",
        Evidence::Simulated => "simulated",
    };
    html! {
        <li class={classes!(tone, colour_of(line.who))} data-seq={line.seq.to_string()}>
            <time>{ fmt::moment(say.0, line.at) }</time>
            <p>{ say.m(&line.message) }</p>
            <small title={say.t(&format!("evidence-{evidence}-about"))}>{ say.t(&format!("evidence-{evidence}")) }</small>
        </li>
    }
}
