//! The jobs table. Only the rows in view are drawn; two empty rows of the right height stand for all others.

use super::job_map::JobMap;
use super::job_note::{hoppers, note};
use super::job_row::JobRow;
use crate::prefs::Theme;
use crate::say::use_say;
use crate::store::View;
use rowlock_shared::event::PauseReason;
use rowlock_shared::world::{Activity, JobState, World};
use yew::prelude::*;

/// Height of a row in px, as in the style sheet.
const ROW: u32 = 28;

/// Rows drawn above and below those in view.
const SPARE: u32 = 6;

/// Rows drawn at most: more than the tallest screen shows, even while no style sheet limits the table's height.
const MOST: u32 = 150;

/// Rows left in view above the head while it is followed.
const LEAD: u32 = 3;

/// From so many jobs on there is a map.
const MAP: usize = 200;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    /// The same at a slower pace, for the map.
    pub(crate) slow: View,
    pub(crate) now: u64,
    pub(crate) theme: Theme,
}

/// The table, and the map of a large queue.
#[component]
pub(crate) fn Jobs(props: &Props) -> Html {
    let say = use_say();
    let scroller = use_node_ref();
    // First row in view and rows in view.
    let window = use_state_eq(|| (0u32, 14u32));
    let follow = use_state_eq(|| true);
    let marked = use_state_eq(|| None::<u32>);
    let store = props.view.read();
    let world = &store.world;
    let total = world.jobs.len() as u32;
    let head = head(world);
    {
        let (scroller, window) = (scroller.clone(), window.clone());
        use_effect_with((head, total, *follow), move |(head, _, follow)| {
            if let Some(element) = scroller.cast::<web_sys::Element>() {
                if *follow {
                    element.set_scroll_top((head.saturating_sub(LEAD) * ROW) as i32);
                }
                window.set(in_view(&element));
            }
        });
    }
    let onscroll = {
        let (scroller, window) = (scroller.clone(), window.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = scroller.cast::<web_sys::Element>() {
                window.set(in_view(&element));
            }
        })
    };
    let stop_following = {
        let follow = follow.clone();
        move || follow.set(false)
    };
    let by_wheel = Callback::from({
        let stop = stop_following.clone();
        move |_: WheelEvent| stop()
    });
    let by_touch = Callback::from({
        let stop = stop_following.clone();
        move |_: TouchEvent| stop()
    });
    let by_key = Callback::from({
        let stop = stop_following.clone();
        move |event: KeyboardEvent| {
            if matches!(event.key().as_str(), "ArrowUp" | "ArrowDown" | "PageUp" | "PageDown" | "Home" | "End") {
                stop();
            }
        }
    });
    let toggle = {
        let follow = follow.clone();
        Callback::from(move |_: MouseEvent| follow.set(!*follow))
    };
    let jump = {
        let (scroller, marked) = (scroller.clone(), marked.clone());
        Callback::from(move |row: u32| {
            stop_following();
            marked.set(Some(row));
            if let Some(element) = scroller.cast::<web_sys::Element>() {
                element.set_scroll_top((row.saturating_sub(LEAD + 1) * ROW) as i32);
            }
        })
    };
    let (first, count) = *window;
    let from = first.saturating_sub(SPARE).min(total);
    let to = (first + count + SPARE).min(total);
    let waiting = world.waiting() > 0 || world.workers.iter().any(|worker| backs_off(&worker.activity));
    let hopped = hoppers(world, from + 1..to + 1);
    let priorities = world.scenario.as_ref().is_some_and(|s| s.priorities > 1);
    html! {
        <section class="jobs" aria-label={say.t("page-jobs")}>
            <h3>{ say.t("page-jobs") }
                <button class="link" aria-pressed={follow.to_string()} data-testid="follow" onclick={toggle}>{ say.t("page-follow") }</button>
            </h3>
            if world.jobs.len() > MAP {
                <JobMap view={props.slow.clone()} theme={props.theme} shown={(from, to)} on_jump={jump} />
            }
            <div class="scroll" ref={scroller} tabindex="0" role="group" aria-label={say.t("page-jobs")} {onscroll} onwheel={by_wheel} ontouchmove={by_touch} onkeydown={by_key}>
                <table aria-rowcount={(total + 1).to_string()}>
                    <thead><tr>
                        <th scope="col">{ "id" }</th>
                        <th scope="col">{ "status" }</th>
                        <th scope="col" title={say.t("page-attempts")}>{ "att." }</th>
                        <th scope="col">{ say.t("page-lock-and-line") }</th>
                    </tr></thead>
                    <tbody>
                        { spacer("above", from) }
                        { for (from..to).filter_map(|index| world.jobs.get(index as usize)).map(|job| {
                            let note = note(job, world, props.now, waiting, &hopped);
                            html! { <JobRow key={job.id.0} job={job.clone()} {note} {priorities} marked={*marked == Some(job.id.0)} /> }
                        }) }
                        { spacer("below", total - to) }
                    </tbody>
                </table>
            </div>
        </section>
    }
}

/// Stands for rows that are not drawn.
fn spacer(key: &'static str, rows: u32) -> Html {
    html! { <tr {key} class="spacer" aria-hidden="true"><td colspan="4" height={(rows * ROW).to_string()}></td></tr> }
}

/// The first row in view and how many there are.
fn in_view(element: &web_sys::Element) -> (u32, u32) {
    let first = element.scroll_top().max(0) as u32 / ROW;
    (first, (element.client_height().max(0) as u32 / ROW + 1).min(MOST))
}

/// Whether a worker stands aside because a row was locked: it waits in its own way.
fn backs_off(activity: &Activity) -> bool {
    matches!(activity, Activity::Pausing { reason: PauseReason::Backoff, .. })
}

/// Where the action is: the first job that is not settled.
fn head(world: &World) -> u32 {
    let settled = |state| matches!(state, JobState::Done | JobState::Failed);
    let open = world.jobs.iter().position(|job| !settled(job.state));
    open.unwrap_or(0) as u32
}
