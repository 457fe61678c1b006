//! What a person can do to a run that goes on: pause at a point, step, resume, crash, and join in with psql.

use super::icon::{Icon, icon};
use crate::browser;
use crate::say::use_say;
use rowlock_shared::ids::WorkerId;
use rowlock_shared::program::Point;
use rowlock_shared::text::Message;
use rowlock_shared::wire::Intervention;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The run goes on here.
    pub(crate) live: bool,
    pub(crate) worker: WorkerId,
    pub(crate) paused: bool,
    /// Anyone stands at a breakpoint.
    pub(crate) anyone_paused: bool,
    pub(crate) crashed: bool,
    pub(crate) breaks: Vec<(Option<WorkerId>, Point)>,
    pub(crate) psql: Option<String>,
    pub(crate) on_intervene: Callback<Intervention>,
}

/// The buttons.
#[component]
pub(crate) fn Interventions(props: &Props) -> Html {
    let say = use_say();
    let point = use_state_eq(|| Point::AfterClaim);
    let worker = props.worker;
    let act = |what: Intervention| props.on_intervene.reform(move |_: MouseEvent| what.clone());
    let onchange = {
        let point = point.clone();
        Callback::from(move |event: Event| {
            let word =
                event.target_dyn_into::<web_sys::HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
            let all = Point::STOPS.iter().chain([&Point::Anywhere]);
            if let Some(chosen) = all.into_iter().find(|one| one.word() == word) {
                point.set(*chosen);
            }
        })
    };
    let name = |point: Point| match point {
        Point::Anywhere => say.t("page-every-point"),
        point => say.t(&format!("point-{}", point.word())),
    };
    let letter = worker.letter();
    let on_letter = |key: &'static str| say.m(&Message::new(key).with("who", letter.clone()));
    html! {
        <fieldset class="meddle" disabled={!props.live}>
            <div class="buttons">
                <button class="button small" data-testid="step" title={say.t("page-step-about")} onclick={act(Intervention::Step { worker })}>
                    { icon(Icon::Step) }{ say.t("page-step") }
                </button>
                <button class="button small" data-testid="resume" disabled={!props.paused} onclick={act(Intervention::Resume { worker: Some(worker) })}>
                    { icon(Icon::Run) }{ say.t("page-resume") }
                </button>
                <button
                    class="button small"
                    data-testid="resume-all"
                    disabled={!props.anyone_paused}
                    onclick={act(Intervention::Resume { worker: None })}
                >{ say.t("page-resume-all") }</button>
                <button class="button small danger" data-testid="crash" disabled={props.crashed} title={say.t("page-crash-about")}
                    onclick={act(Intervention::Crash { worker })}>{ icon(Icon::Close) }{ say.t("page-crash") }</button>
            </div>
            <div class="buttons">
                <label class="grow"><span class="unseen">{ say.t("page-pause-at") }</span>
                    <select data-testid="break-point" {onchange}>
                        { for Point::STOPS.iter().chain([&Point::Anywhere]).map(|one| html! {
                            <option value={one.word()} selected={*one == *point}>{ name(*one) }</option>
                        }) }
                    </select>
                </label>
                <button class="button small" data-testid="break" onclick={act(Intervention::Break { worker: Some(worker), point: *point })}>
                    { on_letter("page-pause-one") }
                </button>
                <button class="button small" data-testid="break-all" onclick={act(Intervention::Break { worker: None, point: *point })}>
                    { say.t("page-pause-all") }
                </button>
            </div>
            if !props.breaks.is_empty() {
                <ul class="breaks" aria-label={say.t("page-breaks")}>
                    { for props.breaks.iter().map(|(who, point)| {
                        let (who, point) = (*who, *point);
                        let label = who.map_or_else(|| say.t("page-everyone"), |id| id.letter());
                        html! {
                            <li>{ label }{ " · " }{ name(point) }
                                <button class="quiet" aria-label={say.t("page-break-clear")} onclick={act(Intervention::Clear { worker: who, point })}>{ icon(Icon::Close) }</button>
                            </li>
                        }
                    }) }
                </ul>
            }
            if let Some(line) = props.psql.as_ref().filter(|_| props.anyone_paused) {
                <Psql line={line.clone()} />
            }
        </fieldset>
    }
}

#[derive(Properties, PartialEq)]
struct PsqlProps {
    line: String,
}

/// The line to type to join in.
#[component]
fn Psql(props: &PsqlProps) -> Html {
    let say = use_say();
    let copied = use_state_eq(|| false);
    let onclick = {
        let (copied, line) = (copied.clone(), props.line.clone());
        Callback::from(move |_: MouseEvent| {
            let (copied, line) = (copied.clone(), line.clone());
            spawn_local(async move { copied.set(browser::copy(line).await) });
        })
    };
    html! {
        <div class="psql">
            <p>{ say.t("page-psql") }</p>
            <div><code data-testid="psql">{ &props.line }</code>
                <button class="button small" {onclick}>{ icon(Icon::Copy) }{ say.t(if *copied { "page-copied" } else { "page-copy" }) }</button>
            </div>
        </div>
    }
}
