//! The runs so far: what they were and how they ended.

use crate::components::chooser::Chooser;
use crate::components::command_bar::ending;
use crate::fmt::{self, DASH};
use crate::form::differences;
use crate::say::{Say, use_say};
use rowlock_shared::text::{Lang, Message};
use rowlock_shared::wire::{RunId, RunInfo, RunStatus};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// None before the server has answered.
    pub(crate) runs: Option<Vec<RunInfo>>,
    /// The run on the stage.
    pub(crate) shown: Option<RunId>,
    pub(crate) on_open: Callback<RunInfo>,
    pub(crate) on_delete: Callback<RunId>,
    pub(crate) on_save: Callback<RunId>,
    pub(crate) on_recording: Callback<(String, String)>,
    pub(crate) on_lab: Callback<()>,
}

/// The page.
#[component]
pub(crate) fn Runs(props: &Props) -> Html {
    let say = use_say();
    let columns = ["run", "when", "mode", "knobs", "result", "done", "speed", "waited", "harm"];
    html! {
        <section class="card runs">
            <h2>{ say.t("page-tab-runs") }<span class="grow"></span>
                <Chooser label={say.t("page-open-recording")} accept=".jsonl,.ndjson,.json" testid="open-recording" on_file={props.on_recording.clone()} />
            </h2>
            if props.runs.as_ref().is_none_or(Vec::is_empty) {
                <p class="none">{ say.t(if props.runs.is_none() { "page-runs-asking" } else { "page-runs-none" }) }{ " " }
                    <button class="link" onclick={props.on_lab.reform(|_| ())}>{ say.t("page-tab-lab") }</button>
                </p>
            } else {
                <div class="wide"><table data-testid="runs">
                    <thead><tr>
                        { for columns.iter().map(|column| html! { <th scope="col" class={*column}>{ say.t(&format!("page-runs-{column}")) }</th> }) }
                        <th scope="col"><span class="unseen">{ say.t("page-runs-actions") }</span></th>
                    </tr></thead>
                    <tbody>{ for props.runs.iter().flatten().map(|run| row(say, props, run)) }</tbody>
                </table></div>
            }
        </section>
    }
}

fn row(say: Say, props: &Props, run: &RunInfo) -> Html {
    let id = run.id;
    let summary = run.summary.as_ref();
    let ended = run.status == RunStatus::Ended;
    let result = match run.ended {
        Some(reason) => ending(say, reason, ""),
        None => say.t(match run.status {
            RunStatus::Preparing => "run-preparing",
            RunStatus::Running => "run-running",
            RunStatus::Stopping => "run-stopping",
            RunStatus::Ended => "run-ended",
        }),
    };
    let harm = summary.map(|s| (s.duplicates, s.dead_letters));
    let is_harmed = harm.is_some_and(|(duplicates, dead)| duplicates + dead > 0);
    let open = props.on_open.reform({
        let run = run.clone();
        move |_: MouseEvent| run.clone()
    });
    html! {
        <tr key={id.0} class={classes!((props.shown == Some(id)).then_some("shown"))} data-testid={format!("run-{id}")}>
            <th scope="row"><button class="link" onclick={open}>{ id.0 }</button></th>
            <td class="when">{ when(say.0, run.started_at) }</td>
            <td class="mode">{ say.t(&format!("page-mode-{}", run.scenario.mode.word())) }</td>
            <td class="chips">{ for differences(&run.scenario).into_iter().map(|(name, value)| html! { <code>{ name }{ " " }{ value }</code> }) }</td>
            <td>{ result }</td>
            <td class="number">{ summary.map_or(DASH.to_owned(), |s| format!("{} / {}", s.done, run.scenario.jobs)) }</td>
            <td class="number">{ summary.map_or(DASH.to_owned(), |s| fmt::number(say.0, s.jobs_per_second, 1)) }</td>
            <td class="number">{ summary.map_or(DASH.to_owned(), |s| fmt::duration(say.0, s.waited_us)) }</td>
            <td class={classes!("number", is_harmed.then_some("harm"))}>
                { harm.map_or(DASH.to_owned(), |(duplicates, dead)| {
                    say.m(&Message::new("page-runs-harm-count").with("duplicates", duplicates).with("dead", dead))
                }) }
            </td>
            <td class="actions">
                <button class="link" onclick={props.on_save.reform(move |_| id)}>{ say.t("page-download") }</button>
                <button class="link danger" disabled={!ended} onclick={props.on_delete.reform(move |_| id)}>{ say.t("page-delete") }</button>
            </td>
        </tr>
    }
}

/// A moment of the calendar, in the reader's time zone and customs.
fn when(lang: Lang, seconds: i64) -> String {
    let date = js_sys::Date::new(&(seconds as f64 * 1000.0).into());
    date.to_locale_string(if lang == Lang::Ru { "ru-RU" } else { "en-GB" }, &js_sys::Object::new()).into()
}
