//! The statements of a worker's round as PostgreSQL gets them, the current one marked.

use super::protocol::{Step, place};
use crate::say::{Say, use_say};
use rowlock_shared::scenario::Scenario;
use rowlock_shared::sql::{self, INSTRUMENTATION};
use rowlock_shared::world::WorkerView;
use std::rc::Rc;
use yew::prelude::*;

/// Clauses that decide what happens under contention: the eye should find them.
const CLAUSES: [&str; 6] =
    ["SKIP LOCKED", "NOWAIT", "FOR NO KEY UPDATE", "FOR UPDATE", "pg_try_advisory_xact_lock", "AND status = 'queued'"];

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) steps: Rc<[Step]>,
    pub(crate) current: Option<usize>,
    pub(crate) in_flight: bool,
    pub(crate) scenario: Rc<Scenario>,
}

/// The statements that a worker goes through, ready for [`SqlView`].
pub(super) fn round(worker: &WorkerView, scenario: &Scenario) -> (Rc<[Step]>, Option<usize>) {
    let (steps, current) = place(worker, scenario);
    (steps.into(), current)
}

/// The round.
#[component]
pub(crate) fn SqlView(props: &Props) -> Html {
    let say = use_say();
    html! {
        <ol class="sql" tabindex="0" aria-label={say.t("page-sql")} data-testid="sql">
            { for props.steps.iter().enumerate().map(|(index, step)| {
                let current = (props.current == Some(index)).then_some("step");
                let flying = current.is_some() && props.in_flight;
                match step {
                    Step::Work => html! { <li key={index} class="work" aria-current={current}>{ "-- " }{ say.t("page-sql-work") }</li> },
                    Step::Sql(statement) => html! {
                        <li key={index} aria-current={current} data-statement={statement.file()} data-in-flight={flying.then_some("true")}>
                            { statement_text(say, &sql::text(*statement, &props.scenario)) }
                        </li>
                    },
                }
            }) }
        </ol>
    }
}

/// A statement without the comment that heads its file; what is there for the picture is folded away.
fn statement_text(say: Say, text: &str) -> Html {
    let (own, picture) = match text.split_once(INSTRUMENTATION) {
        Some((own, picture)) => (own.trim_end(), Some(picture)),
        None => (text, None),
    };
    let lines = own.lines().filter(|line| !line.starts_with("--"));
    html! {
        <>
            <pre><code>{ for lines.map(|line| html! { <>{ marked(line) }{ "\n" }</> }) }</code></pre>
            if let Some(picture) = picture {
                <details class="instrument" title={say.t("page-instrument")}>
                    <summary>{ INSTRUMENTATION }</summary>
                    <pre><code>{ picture.trim_start_matches('\n') }</code></pre>
                </details>
            }
        </>
    }
}

/// A line with its locking clause marked.
fn marked(line: &str) -> Html {
    let found = CLAUSES.iter().filter_map(|clause| line.find(clause).map(|at| (at, at + clause.len())));
    // "FOR UPDATE SKIP LOCKED" is one clause: from the first mark to the end of the last.
    let Some((from, to)) = found.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return html! { { line } } };
    html! { <>{ &line[..from] }<mark>{ &line[from..to] }</mark>{ &line[to..] }</> }
}
