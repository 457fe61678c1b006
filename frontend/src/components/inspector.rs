//! One worker, looked at closely: its statement, its session, its locks, its last error.

use super::disc::{Form, disc};
use super::interventions::Interventions;
use super::sql_view::{SqlView, round};
use crate::fmt;
use crate::say::{Say, use_say};
use crate::store::View;
use rowlock_shared::event::{LockRow, WaitFor};
use rowlock_shared::ids::{Actor, WorkerId};
use rowlock_shared::program::Point;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::text::Message;
use rowlock_shared::wire::Intervention;
use rowlock_shared::world::{SessionView, Waiting, WorkerView, World};
use std::rc::Rc;
use yew::prelude::*;

/// Held rows that are listed.
const HELD: usize = 8;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) view: View,
    pub(crate) now: u64,
    pub(crate) selected: WorkerId,
    /// The run goes on here, so that one can meddle with it.
    pub(crate) live: bool,
    pub(crate) breaks: Vec<(Option<WorkerId>, Point)>,
    pub(crate) psql: Option<String>,
    pub(crate) on_intervene: Callback<Intervention>,
}

/// The inspector.
#[component]
pub(crate) fn Inspector(props: &Props) -> Html {
    let say = use_say();
    let store = props.view.read();
    let world = &store.world;
    let Some(worker) = world.worker(props.selected).or(world.workers.first()) else {
        return html! {
            <section class="card inspector" aria-label={say.t("page-inspector")}><h2>{ say.t("page-inspector") }</h2>
                <p class="none">{ say.t("page-inspector-empty") }</p>
            </section>
        };
    };
    let session = &worker.session;
    let anyone_paused = world.workers.iter().any(|one| one.session.paused_at.is_some())
        || world.others.values().any(|one| one.paused_at.is_some());
    html! {
        <section class="card inspector" aria-label={say.t("page-inspector")} data-testid="inspector">
            <h2>{ disc(Actor::Worker(worker.id), Form::Solid) }<span>{ worker.id.name() }</span>
                <span class="hint">{ facts(say, worker) }</span>
            </h2>
            { state(say, session, props.now, world) }
            if let Some(scenario) = &world.scenario {
                { sql(worker, scenario) }
            }
            <div class="evidence" tabindex="0">
                if let Some(wait) = &session.wait { { wait_row(say, wait) } }
                { held(say, session, world) }
                if let Some(refusal) = &session.refusal {
                    <p class="refusal"><b>{ say.t("page-last-error") }</b>
                        if let Some(code) = &refusal.sqlstate { <code>{ code }</code> }
                        <span>{ &refusal.message }</span>
                        if let Some(routine) = &refusal.routine { <small>{ routine }</small> }
                    </p>
                }
            </div>
            <Interventions live={props.live} worker={worker.id} paused={session.paused_at.is_some()} {anyone_paused}
                crashed={session.pid.is_none()} breaks={props.breaks.clone()} psql={props.psql.clone()}
                on_intervene={props.on_intervene.clone()} />
        </section>
    }
}

fn facts(say: Say, worker: &WorkerView) -> String {
    let pid = worker.session.pid.map_or_else(|| fmt::DASH.to_owned(), |pid| pid.to_string());
    say.m(&Message::new("page-worker-facts").with("pid", pid).with("done", worker.done))
}

fn sql(worker: &WorkerView, scenario: &Scenario) -> Html {
    let (steps, current) = round(worker, scenario);
    html! { <SqlView {steps} {current} in_flight={worker.session.in_flight} scenario={Rc::new(scenario.clone())} /> }
}

/// The session's state, in the words of pg_stat_activity.
fn state(say: Say, session: &SessionView, now: u64, world: &World) -> Html {
    let (key, class) = match session {
        SessionView { pid: None, .. } => ("page-session-none", "harm"),
        SessionView { wait: Some(_), .. } => ("page-session-waiting", "wait"),
        SessionView { in_flight: true, .. } => ("page-session-active", ""),
        SessionView { transaction: Some(_), .. } => ("page-session-idle-in-transaction", ""),
        _ => ("page-session-idle", "zero"),
    };
    let open = session.transaction.as_ref().filter(|_| world.is_running());
    html! {
        <p class="session">
            <b class={class}>{ say.t(key) }</b>
            if let Some(transaction) = open {
                <span>{ say.m(&Message::new("page-transaction-open").with("time", fmt::duration(say.0, now.saturating_sub(transaction.since)))) }</span>
            }
        </p>
    }
}

/// The wait as pg_locks prints it, empty columns left out.
fn wait_row(say: Say, wait: &Waiting) -> Html {
    let LockRow { locktype, mode, granted, relation, tuple, transactionid } = &wait.lock;
    let cell = |text: &Option<String>| text.clone().unwrap_or_default();
    let blockers = wait.blocked_by.iter().map(|who| who.mark()).collect::<Vec<_>>().join(", ");
    let kind = match wait.wait {
        WaitFor::TransactionId => "transaction-id",
        WaitFor::Tuple => "tuple",
        WaitFor::Relation => "relation",
        WaitFor::Advisory => "advisory",
        WaitFor::Other => "other",
    };
    let mut rows = vec![
        ("locktype", locktype.clone()),
        ("relation", cell(relation)),
        ("tuple", cell(tuple)),
        ("transactionid", cell(transactionid)),
        ("mode", mode.clone()),
        ("granted", if *granted { "t" } else { "f" }.to_owned()),
    ];
    rows.retain(|(_, value)| !value.is_empty());
    html! {
        <>
            <p><span class="wait">{ say.t(&format!("wait-{kind}")) }</span>
                if !blockers.is_empty() { { " · " }{ say.m(&Message::new("page-blocked-by").with("who", blockers)) } }
            </p>
            <table class="pg" data-testid="lock-row">
                <caption>{ "pg_locks" }</caption>
                <thead><tr>{ for rows.iter().map(|(name, _)| html! { <th scope="col">{ *name }</th> }) }</tr></thead>
                <tbody><tr>{ for rows.iter().map(|(_, value)| html! { <td>{ value }</td> }) }</tr></tbody>
            </table>
        </>
    }
}

/// The rows whose lock it holds, as pgrowlocks prints them.
fn held(say: Say, session: &SessionView, world: &World) -> Html {
    if session.holds.is_empty() {
        return html! {};
    }
    let rows = session.holds.iter().take(HELD).map(|id| {
        let modes = world
            .job(*id)
            .and_then(|job| job.holder.as_ref())
            .map(|holder| holder.modes.join(", "))
            .unwrap_or_default();
        let modes = if modes.is_empty() { fmt::DASH.to_owned() } else { format!("{{{modes}}}") };
        html! { <tr><td>{ id.0 }</td><td>{ modes }</td></tr> }
    });
    let more = session.holds.len().saturating_sub(HELD);
    html! {
        <>
            <div class="wide"><table class="pg" data-testid="held-rows">
                <caption>{ "pgrowlocks" }</caption>
                <thead><tr><th scope="col">{ "jobs.id" }</th><th scope="col">{ "modes" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table></div>
            if more > 0 { <p class="range">{ say.m(&Message::new("page-more-rows").with("n", more)) }</p> }
        </>
    }
}
