//! The lab: controls, stage, timeline, inspector and log.

use crate::app::Status;
use crate::components::command_bar::CommandBar;
use crate::components::empty::Empty;
use crate::components::inspector::Inspector;
use crate::components::knobs::Knobs;
use crate::components::log::Log;
use crate::components::stage::Stage;
use crate::components::timeline::Timeline;
use crate::form::Form;
use crate::prefs::Theme;
use crate::say::use_say;
use crate::store::View;
use rowlock_shared::ids::WorkerId;
use rowlock_shared::program::Point;
use rowlock_shared::wire::Intervention;
use yew::prelude::*;

/// What the reader can do here.
#[derive(Clone, PartialEq)]
pub(crate) struct Controls {
    pub(crate) on_preset: Callback<String>,
    pub(crate) on_knob: Callback<(&'static str, String)>,
    pub(crate) on_reset: Callback<()>,
    pub(crate) on_save: Callback<()>,
    pub(crate) on_open: Callback<(String, String)>,
    pub(crate) on_run: Callback<()>,
    pub(crate) on_stop: Callback<()>,
    pub(crate) on_select: Callback<WorkerId>,
    pub(crate) on_intervene: Callback<Intervention>,
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) form: Form,
    pub(crate) view: View,
    /// The same, brought up to date a few times a second: for what is long and read slowly.
    pub(crate) slow: View,
    pub(crate) now: u64,
    pub(crate) theme: Theme,
    pub(crate) status: Status,
    pub(crate) selected: WorkerId,
    pub(crate) breaks: Vec<(Option<WorkerId>, Point)>,
    pub(crate) psql: Option<String>,
    /// A run of the server goes on here.
    pub(crate) live: bool,
    /// A run can be started.
    pub(crate) ready: bool,
    pub(crate) controls: Controls,
}

/// The page.
#[component]
pub(crate) fn Lab(props: &Props) -> Html {
    let Props { form, view, slow, now, theme, selected, controls, .. } = props;
    let (now, theme, selected) = (*now, *theme, *selected);
    let say = use_say();
    // On a narrow screen the knobs are folded away until asked for.
    let unfolded = use_state_eq(|| false);
    let unfold = {
        let unfolded = unfolded.clone();
        Callback::from(move |_: MouseEvent| unfolded.set(!*unfolded))
    };
    let fresh = props.status == Status::Idle;
    html! {
        <div class={classes!("lab", fresh.then_some("fresh"))}>
            <CommandBar form={form.clone()} status={props.status.clone()} ready={props.ready} on_run={controls.on_run.clone()}
                on_stop={controls.on_stop.clone()} on_preset={controls.on_preset.clone()} on_knob={controls.on_knob.clone()} />
            <button class="button knobs-toggle" aria-expanded={unfolded.to_string()} aria-controls="knobs" onclick={unfold}>{ say.t("page-knobs") }</button>
            <aside class={classes!("side", unfolded.then_some("open"))} id="knobs" aria-label={say.t("page-knobs")}>
                <Knobs form={form.clone()} on_knob={controls.on_knob.clone()} on_reset={controls.on_reset.clone()}
                    on_save={controls.on_save.clone()} on_open={controls.on_open.clone()} />
            </aside>
            if fresh {
                <div class="centre" key="empty">
                    <Empty ready={props.ready && form.scenario().is_ok()} on_run={controls.on_run.clone()} />
                </div>
            } else {
                <div class="centre" key="stage">
                    <Stage view={view.clone()} slow={slow.clone()} {now} {theme} {selected} on_select={controls.on_select.clone()} />
                    <Timeline view={view.clone()} {now} {theme} />
                </div>
                <div class="right" key="right">
                    <Inspector view={view.clone()} {now} {selected} live={props.live} breaks={props.breaks.clone()}
                        psql={props.psql.clone()} on_intervene={controls.on_intervene.clone()} />
                    <Log view={slow.clone()} {selected} />
                </div>
            }
        </div>
    }
}
