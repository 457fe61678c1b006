//! The bar that starts and stops runs: run, stop, where the run is, preset and mode.

use super::icon::{Icon, icon};
use crate::app::Status;
use crate::form::Form;
use crate::say::{Say, use_say};
use rowlock_shared::event::EndReason;
use rowlock_shared::scenario::{Choice, Mode, PRESETS};
use rowlock_shared::text::Message;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) form: Form,
    pub(crate) status: Status,
    /// Whether nothing runs here, so that a run can be started.
    pub(crate) ready: bool,
    pub(crate) on_run: Callback<()>,
    pub(crate) on_stop: Callback<()>,
    pub(crate) on_preset: Callback<String>,
    pub(crate) on_knob: Callback<(&'static str, String)>,
}

/// The bar.
#[component]
pub(crate) fn CommandBar(props: &Props) -> Html {
    let say = use_say();
    let errors = props.form.scenario().err().unwrap_or_default();
    let reason = errors.first().map(|error| say.m(&error.message()));
    let can_run = props.ready && reason.is_none();
    let can_stop = matches!(props.status, Status::Running | Status::Reconnecting(_));
    let on_preset = props.on_preset.reform(|event: Event| {
        event.target_dyn_into::<web_sys::HtmlSelectElement>().map(|select| select.value()).unwrap_or_default()
    });
    let preset = props.form.preset;
    html! {
        <section class="bar" aria-label={say.t("page-controls")}>
            <div class="go">
                <button class="button primary" data-testid="run" disabled={!can_run} aria-keyshortcuts="r"
                    aria-describedby={reason.is_some().then_some("run-reason")} onclick={props.on_run.reform(|_| ())}>
                    { icon(Icon::Run) }{ say.t("page-run") }
                </button>
                <button class="button" data-testid="stop" disabled={!can_stop} aria-keyshortcuts="s" onclick={props.on_stop.reform(|_| ())}>
                    { icon(Icon::Stop) }{ say.t("page-stop") }
                </button>
                <Where status={props.status.clone()} />
            </div>
            <label class="preset">
                <span>{ say.t("page-preset") }</span>
                <select data-testid="preset" onchange={on_preset}>
                    if preset.is_none() { <option value="" selected=true>{ say.t("page-preset-own") }</option> }
                    { for PRESETS.iter().map(|one| html! {
                        <option value={one.id} selected={preset == Some(one.id)}>{ say.or(&format!("preset-{}", one.id), one.id) }</option>
                    }) }
                </select>
            </label>
            <ModePicker mode={props.form.gist().mode} on_knob={props.on_knob.clone()} />
            <p class="about"><span>
                if let Some(reason) = reason {
                    <span class="harm" id="run-reason">{ say.t("page-cannot-run") }{ " " }{ reason }</span>
                } else if let Some(id) = preset.filter(|_| !props.form.is_dirty()) {
                    { say.or(&format!("preset-{id}-about"), "") }
                } else {
                    { say.t(&format!("word-mode-{}-about", props.form.gist().mode.word())) }
                }
                </span>
                if let Some(outcome) = outcome(say, &props.status) { <span class="outcome" data-testid="outcome">{ outcome }</span> }
            </p>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct WhereProps {
    status: Status,
}

/// Where the run is, in a word.
#[component]
fn Where(props: &WhereProps) -> Html {
    let say = use_say();
    let (word, reason, class) = match &props.status {
        Status::Idle => ("idle", None, ""),
        Status::Starting => ("starting", None, "on"),
        Status::Running => ("running", None, "on"),
        Status::Stopping => ("stopping", None, "wait"),
        Status::Reconnecting(_) => ("reconnecting", None, "wait"),
        Status::Replaying => ("replaying", None, "on"),
        Status::Gone => ("gone", None, "harm"),
        Status::Ended(reason, _) => ("ended", Some(*reason), if is_bad(*reason) { "harm" } else { "" }),
    };
    html! {
        <p class="where" role="status">
            <b class={class} data-testid="status" data-state={word} data-reason={reason.map(reason_word)}>{ say.t(&format!("page-status-{word}")) }</b>
        </p>
    }
}

/// More on where the run is: why it ended, how often the page tried to come back to it.
fn outcome(say: Say, status: &Status) -> Option<String> {
    match status {
        Status::Ended(reason, detail) => Some(ending(say, *reason, detail)),
        Status::Reconnecting(n) => Some(say.m(&Message::new("page-try").with("n", *n))),
        _ => None,
    }
}

fn is_bad(reason: EndReason) -> bool {
    matches!(reason, EndReason::DatabaseLost | EndReason::Failed | EndReason::EventLimit)
}

/// The reason's word, as on the wire.
pub(crate) fn reason_word(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Quiescent => "quiescent",
        EndReason::TimeLimit => "time-limit",
        EndReason::Stopped => "stopped",
        EndReason::DatabaseLost => "database-lost",
        EndReason::EventLimit => "event-limit",
        EndReason::Failed => "failed",
    }
}

/// Why a run ended, in words.
pub(crate) fn ending(say: Say, reason: EndReason, detail: &str) -> String {
    let text = say.t(&format!("end-{}", reason_word(reason)));
    if detail.is_empty() || reason == EndReason::Quiescent { text } else { format!("{text}: {detail}") }
}

#[derive(Properties, PartialEq)]
struct ModeProps {
    mode: Mode,
    on_knob: Callback<(&'static str, String)>,
}

/// The modes: radio buttons that look like one segmented control.
#[component]
fn ModePicker(props: &ModeProps) -> Html {
    let say = use_say();
    html! {
        <fieldset class="modes">
            <legend class="unseen">{ say.t("page-mode") }</legend>
            { for Mode::WORDS.iter().map(|(word, mode)| {
                let on_knob = props.on_knob.reform(move |_: Event| ("mode", (*word).to_owned()));
                html! {
                    <label title={say.t(&format!("word-mode-{word}-about"))}>
                        <input type="radio" name="mode" class="unseen" value={*word} data-testid={format!("mode-{word}")}
                            checked={*mode == props.mode} onchange={on_knob} />
                        <span>{ say.t(&format!("page-mode-{word}")) }</span>
                    </label>
                }
            }) }
        </fieldset>
    }
}
