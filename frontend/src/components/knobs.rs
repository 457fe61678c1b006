//! The knobs: the main ones, and all others by group behind a disclosure. Generated from the table of knobs.

use super::chooser::Chooser;
use super::knob_field::KnobField;
use crate::form::{self, Form};
use crate::say::use_say;
use rowlock_shared::scenario::{Group, KNOBS, Knob, KnobError};
use yew::prelude::*;

/// The groups in the form's order, with their keys.
const GROUPS: [(Group, &str); 6] = [
    (Group::Claim, "claim"),
    (Group::Queue, "queue"),
    (Group::Workers, "workers"),
    (Group::Work, "work"),
    (Group::Lease, "lease"),
    (Group::Run, "run"),
];

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) form: Form,
    pub(crate) on_knob: Callback<(&'static str, String)>,
    pub(crate) on_reset: Callback<()>,
    pub(crate) on_save: Callback<()>,
    pub(crate) on_open: Callback<(String, String)>,
}

/// The panel of knobs.
#[component]
pub(crate) fn Knobs(props: &Props) -> Html {
    let say = use_say();
    let form = &props.form;
    let gist = form.gist();
    let errors = form.scenario().err().unwrap_or_default();
    let field = |knob: &'static Knob| {
        let error: Option<KnobError> = errors.iter().find(|error| error.field == knob.name).cloned();
        html! {
            <KnobField key={knob.name} {knob} text={form.text(knob.name).to_owned()} changed={form.is_changed(knob.name)}
                matters={form::matters(knob.name, &gist)} {error} on_knob={props.on_knob.clone()} />
        }
    };
    let group = |(group, key): (Group, &str), main: bool| {
        let knobs: Vec<&'static Knob> =
            KNOBS.iter().filter(|knob| knob.group == group && knob.main == main && knob.name != "mode").collect();
        if knobs.is_empty() {
            return html! {};
        }
        html! {
            <fieldset class="knob-group">
                <legend>{ say.t(&format!("group-{key}")) }</legend>
                { for knobs.into_iter().map(field) }
            </fieldset>
        }
    };
    let hidden_errors = errors.iter().any(|error| Knob::named(&error.field).is_some_and(|knob| !knob.main));
    let more = KNOBS.iter().filter(|knob| !knob.main).count();
    let changed = KNOBS.iter().filter(|knob| !knob.main && form.is_changed(knob.name)).count();
    html! {
        <section class="knobs" aria-label={say.t("page-knobs")}>
            { for GROUPS.iter().map(|one| group(*one, true)) }
            <details class="more" open={hidden_errors} data-testid="more-knobs">
                <summary>
                    { say.t("page-more-knobs") }<span class="range">{ more }</span>
                    if changed > 0 { <span class="dot" title={say.t("page-changed")}></span> }
                </summary>
                { for GROUPS.iter().map(|one| group(*one, false)) }
            </details>
            <div class="files">
                <button class="button small" data-testid="reset" disabled={!form.is_dirty()} onclick={props.on_reset.reform(|_| ())}>
                    { say.t("page-reset") }
                </button>
                <button class="button small" data-testid="save-scenario" disabled={!errors.is_empty()} onclick={props.on_save.reform(|_| ())}>
                    { say.t("page-save") }
                </button>
                <Chooser label={say.t("page-open")} accept=".json,application/json" testid="open-scenario" on_file={props.on_open.clone()} />
            </div>
        </section>
    }
}
