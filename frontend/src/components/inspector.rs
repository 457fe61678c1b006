//! One worker, looked at closely: its statement, its session, its locks, its last error.

use super::disc::{Form, disc};
use super::interventions::Interventions;
use super::sql_view::SqlView;
use crate::fmt;
use crate::say::{Say, use_say};
use crate::store::View;
use rowlock_shared::event::{LockRow, WaitFor};
use rowlock_shared::ids::{Actor, WorkerId};
use rowlock_shared::program::Point;
use rowlock_shared::text::Message;
use rowlock_shared::wire::Intervention;
use rowlock_shared::world::{SessionView, Waiting, WorkerView, World};
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
    let anyone_paused =
        world.workers.iter().any(|one| one.session.paused_at.is_some()) || world.others.values().any(|one| one.paused_at.is_some());
    html! {
        <section class="card inspector" aria-label={say.t("page-inspector")} data-testid="inspector">
            <h2>{ disc(Actor::Worker(worker.id), Form::Solid) }<span>{ worker.id.name() }</span>
                <span class="hint">{ facts(say, worker) }</span>
            </h2>
            { state(say, session, props.now, world) }
            if let (Some(statement), Some(scenario)) = (session.statement, &world.scenario) {
                <SqlView {statement} scenario={(**scenario).clone()} in_flight={session.in_flight} />
            } else {
                <div class="sql"><pre><code>{ "\n" }</code></pre></div>
            }
            <div class="evidence">
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
            if props.live {
                <Interventions worker={worker.id} paused={session.paused_at.is_some()} {anyone_paused}
                    crashed={session.pid.is_none()} breaks={props.breaks.clone()} psql={props.psql.clone()}
                    on_intervene={props.on_intervene.clone()} />
            }
        </section>
    }
}

fn facts(say: Say, worker: &WorkerView) -> String {
    let pid = worker.session.pid.map_or_else(|| fmt::DASH.to_owned(), |pid| pid.to_string());
    say.m(&Message::new("page-worker-facts").with("pid", pid).with("done", worker.done))
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
            if let Some(point) = session.paused_at {
                <span class="wait">{ say.m(&Message::new("page-paused-at").with("point", say.t(&format!("point-{}", point.word())))) }</span>
            }
        </p>
    }
}

/// The wait as pg_locks prints it.
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
    html! {
        <>
            <p class="wait">{ say.t(&format!("wait-{kind}")) }</p>
            <div class="wide"><table class="pg" data-testid="lock-row">
                <caption>{ "pg_locks" }</caption>
                <thead><tr>
                    <th scope="col">{ "locktype" }</th><th scope="col">{ "relation" }</th><th scope="col">{ "tuple" }</th>
                    <th scope="col">{ "transactionid" }</th><th scope="col">{ "mode" }</th><th scope="col">{ "granted" }</th>
                    <th scope="col">{ "pg_blocking_pids" }</th>
                </tr></thead>
                <tbody><tr>
                    <td>{ locktype }</td><td>{ cell(relation) }</td><td>{ cell(tuple) }</td><td>{ cell(transactionid) }</td>
                    <td>{ mode }</td><td>{ if *granted { "t" } else { "f" } }</td><td>{ blockers }</td>
                </tr></tbody>
            </table></div>
        </>
    }
}

/// The rows whose lock it holds, as pgrowlocks prints them.
fn held(say: Say, session: &SessionView, world: &World) -> Html {
    if session.holds.is_empty() {
        return html! {};
    }
    let rows = session.holds.iter().take(HELD).map(|id| {
        let modes = world.job(*id).and_then(|job| job.holder.as_ref()).map(|holder| holder.modes.join(", ")).unwrap_or_default();
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
