//! The workers, with what each does right now.

use super::disc::{Form, colour, disc};
use crate::fmt;
use crate::say::{Say, use_say};
use crate::store::View;
use rowlock_shared::ids::{Actor, WorkerId};
use rowlock_shared::narrate;
use rowlock_shared::text::Message;
use rowlock_shared::world::{Activity, SessionView, WorkerView, World};
use yew::prelude::*;

/// From so many workers on, each takes a single line.
const COMPACT: usize = 6;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    pub(crate) now: u64,
    pub(crate) selected: WorkerId,
    pub(crate) on_select: Callback<WorkerId>,
}

/// The list.
#[component]
pub(crate) fn Workers(props: &Props) -> Html {
    let say = use_say();
    let store = props.view.read();
    let world = &store.world;
    let compact = world.workers.len() > COMPACT;
    html! {
        <section class={classes!("workers", compact.then_some("compact"))} aria-label={say.t("page-workers")}>
            <h3>{ say.t("page-workers") }</h3>
            <ul>
                { for world.workers.iter().map(|worker| {
                    let row = row(say, worker, world, props.now);
                    html! {
                        <WorkerRow key={worker.id.0} id={worker.id} {row} selected={worker.id == props.selected}
                            on_select={props.on_select.clone()} />
                    }
                }) }
            </ul>
            { strangers(say, world) }
        </section>
    }
}

/// What a row shows.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    /// What it does, as a class.
    kind: &'static str,
    /// What it does, as a sentence.
    doing: String,
    /// A figure for it: how far, how long.
    figure: String,
    /// How far the work is, in per cent.
    progress: Option<u32>,
    /// How many it has done.
    done: u32,
}

fn row(say: Say, worker: &WorkerView, world: &World, now: u64) -> Row {
    let session = &worker.session;
    let kind = kind(worker);
    let progress = worker.progress(now).map(|share| (share * 100.0) as u32);
    let since = |from: u64| fmt::duration(say.0, now.saturating_sub(from));
    let figure = match (&session.wait, &worker.activity) {
        (Some(wait), _) => since(wait.since),
        (None, Activity::Hung { .. } | Activity::Crashed { .. }) => since(worker.since),
        _ => String::new(),
    };
    let over = world.ended.is_some() && !matches!(worker.activity, Activity::Hung { .. } | Activity::Crashed { .. });
    let doing = if over {
        let share = worker.busy_us as f64 / world.at.max(1) as f64;
        let message =
            Message::new("page-worker-over").with("done", worker.done).with("busy", fmt::percent(say.0, share));
        say.m(&message.with("waited", fmt::duration(say.0, worker.waited_us)))
    } else {
        say.m(&narrate::activity_at(worker, world, now))
    };
    Row { kind, doing, figure, progress, done: worker.done }
}

/// The one word for what a worker does.
pub(crate) fn kind(worker: &WorkerView) -> &'static str {
    match (&worker.session, &worker.activity) {
        (SessionView { paused_at: Some(_), .. }, _) => "paused",
        (SessionView { wait: Some(_), .. }, _) => "waiting",
        (_, Activity::Working { .. } | Activity::Settling { .. }) => "working",
        (_, Activity::Crashed { .. }) => "crashed",
        (_, Activity::Hung { .. }) => "hung",
        _ => "idle",
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    id: WorkerId,
    row: Row,
    selected: bool,
    on_select: Callback<WorkerId>,
}

#[component]
fn WorkerRow(props: &RowProps) -> Html {
    let (id, row) = (props.id, &props.row);
    let form = if matches!(row.kind, "waiting" | "idle" | "crashed") { Form::Ring } else { Form::Solid };
    html! {
        <li>
            <button class={classes!("worker", row.kind, colour(id))} aria-pressed={props.selected.to_string()}
                data-testid={format!("worker-{}", id.letter())} data-kind={row.kind} onclick={props.on_select.reform(move |_| id)}>
                { disc(Actor::Worker(id), form) }
                <span class="doing" title={row.doing.clone()}>{ &row.doing }</span>
                <span class="figure">{ &row.figure }</span>
                <svg class="progress" aria-hidden="true" width="100%" height="3">
                    if let Some(percent) = row.progress.filter(|_| row.kind == "working") {
                        <rect x="0" y="0" height="3" width={format!("{percent}%")} />
                    }
                </svg>
            </button>
        </li>
    }
}

/// Backends that the run did not start, while they hold or wait for something.
fn strangers(say: Say, world: &World) -> Html {
    let seen: Vec<Html> = world
        .others
        .iter()
        .filter(|(who, session)| {
            matches!(who.0, Actor::Stranger { .. }) && (session.wait.is_some() || !session.holds.is_empty())
        })
        .map(|(who, session)| {
            let rows = session.holds.iter().map(|job| job.to_string()).collect::<Vec<_>>().join(", ");
            let doing = match session.wait.as_ref().and_then(|wait| wait.job) {
                Some(job) => Message::new("page-stranger-waits").with("job", job.to_string()),
                None => Message::new("page-stranger-holds").with("jobs", rows),
            };
            html! { <li class="stranger">{ disc(who.0, Form::Solid) }<span class="doing">{ say.m(&doing) }</span></li> }
        })
        .collect();
    if seen.is_empty() {
        html! {}
    } else {
        html! { <ul class="strangers">{ for seen }</ul> }
    }
}
