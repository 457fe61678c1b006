//! One knob as a form field: label, range, unit, what it is for, and what is wrong with it.

use crate::say::{Say, use_say};
use rowlock_shared::scenario::{Kind, Knob, KnobError, Unit};
use rowlock_shared::text::word_key;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) knob: &'static Knob,
    pub(crate) text: String,
    /// It differs from the preset.
    pub(crate) changed: bool,
    /// It has an effect while the others stand as they do.
    pub(crate) matters: bool,
    pub(crate) error: Option<KnobError>,
    pub(crate) on_knob: Callback<(&'static str, String)>,
}

/// The field.
#[component]
pub(crate) fn KnobField(props: &Props) -> Html {
    let say = use_say();
    let knob = props.knob;
    let key = knob.name.replace('_', "-");
    let (id, about, wrong) = (format!("k-{}", knob.name), format!("ka-{}", knob.name), format!("ke-{}", knob.name));
    let described = if props.error.is_some() { format!("{wrong} {about}") } else { about.clone() };
    let label = say.or(&format!("knob-{key}"), &knob.name.replace('_', " "));
    let unit = unit_of(knob).map(|unit| say.t(unit)).filter(|text| !text.is_empty());
    html! {
        <div class={classes!("knob", (!props.matters).then_some("idle"), is_long(knob).then_some("long"), props.error.is_some().then_some("wrong"))}>
            <label for={id.clone()}>
                { label }
                if props.changed { <span class="dot" title={say.t("page-changed")}></span> }
            </label>
            <span class="field">
                { control(say, props, id, described) }
                if let Some(unit) = unit { <span class="unit">{ unit }</span> }
            </span>
            if let Some(error) = &props.error {
                <p class="error" id={wrong} role="alert">{ say.m(&error.message()) }</p>
            }
            <p class="tip" id={about}>
                { say.or(&format!("knob-{key}-about"), "") }
                if let Some(range) = range_of(knob) { <span class="range">{ range }</span> }
                if !props.matters { <span class="range">{ say.t("page-no-effect") }</span> }
                <code>{ knob.name }</code>
            </p>
        </div>
    }
}

fn control(say: Say, props: &Props, id: String, described: String) -> Html {
    let knob = props.knob;
    let testid = format!("knob-{}", knob.name);
    let invalid = props.error.is_some().then_some("true");
    match knob.kind {
        Kind::Switch => {
            let on = props.text == "true";
            let onclick = props.on_knob.reform(move |_| (knob.name, (!on).to_string()));
            html! {
                <button type="button" role="switch" class="toggle" {id} data-testid={testid} aria-checked={on.to_string()}
                    aria-describedby={described} {onclick}><i></i></button>
            }
        }
        Kind::Choice(words) => {
            let onchange = props.on_knob.reform(move |event: Event| {
                let select = event.target_dyn_into::<web_sys::HtmlSelectElement>();
                (knob.name, select.map(|select| select.value()).unwrap_or_default())
            });
            html! {
                <select {id} data-testid={testid} aria-describedby={described} aria-invalid={invalid} {onchange}>
                    { for words.iter().map(|word| html! {
                        <option value={*word} selected={*word == props.text}>{ say.or(&word_key(knob.name, word), word) }</option>
                    }) }
                </select>
            }
        }
        Kind::Whole { .. } | Kind::Real { .. } => {
            let oninput = props.on_knob.reform(move |event: InputEvent| {
                let input = event.target_dyn_into::<web_sys::HtmlInputElement>();
                (knob.name, input.map(|input| input.value()).unwrap_or_default())
            });
            // A text field, not a number field: what cannot be read stays in it and is explained.
            html! {
                <input type="text" inputmode="decimal" autocomplete="off" spellcheck="false" {id} data-testid={testid}
                    value={props.text.clone()} aria-describedby={described} aria-invalid={invalid} {oninput} />
            }
        }
    }
}

/// Whether its words need a line of their own.
fn is_long(knob: &Knob) -> bool {
    matches!(
        knob.name,
        "shape" | "crash_point" | "autovacuum" | "sleep_after" | "wake_up" | "crash_method" | "isolation" | "order"
    )
}

/// The catalogue's key of a knob's unit.
fn unit_of(knob: &Knob) -> Option<&'static str> {
    let (Kind::Whole { unit, .. } | Kind::Real { unit, .. }) = knob.kind else { return None };
    match unit {
        Unit::Ms => Some("unit-ms"),
        Unit::PerSecond => Some("unit-per-second"),
        Unit::Percent => Some("unit-percent"),
        Unit::Factor => Some("unit-factor"),
        Unit::Count | Unit::Probability | Unit::Plain => None,
    }
}

fn range_of(knob: &Knob) -> Option<String> {
    match knob.kind {
        Kind::Whole { min, max, .. } => Some(format!("{min} – {max}")),
        Kind::Real { min, max, .. } => Some(format!("{min} – {max}")),
        Kind::Switch | Kind::Choice(_) => None,
    }
}
