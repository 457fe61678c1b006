//! The statement that a worker has in flight, as PostgreSQL gets it; the part that is there for the picture set apart.

use crate::say::use_say;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::sql::{self, INSTRUMENTATION, StatementId};
use yew::prelude::*;

/// Clauses that decide what happens under contention: the eye should find them.
const CLAUSES: [&str; 5] = ["SKIP LOCKED", "NOWAIT", "FOR NO KEY UPDATE", "FOR UPDATE", "pg_try_advisory_xact_lock"];

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) statement: StatementId,
    pub(crate) scenario: Scenario,
    pub(crate) in_flight: bool,
}

/// The statement.
#[component]
pub(crate) fn SqlView(props: &Props) -> Html {
    let say = use_say();
    let text = sql::text(props.statement, &props.scenario);
    let (own, picture) = match text.split_once(INSTRUMENTATION) {
        Some((own, picture)) => (own.trim_end(), Some(picture)),
        None => (text.as_str(), None),
    };
    let (comment, body) = match own.split_once('\n') {
        Some((first, rest)) if first.starts_with("--") => (Some(first), rest),
        _ => (None, own),
    };
    html! {
        <div class={classes!("sql", props.in_flight.then_some("flying"))}>
            <pre tabindex="0" aria-label={say.t("page-sql")} data-testid="sql"><code>
                if let Some(comment) = comment { <span class="comment">{ comment }{ "\n" }</span> }
                { for body.lines().map(|line| html! { <>{ marked(line) }{ "\n" }</> }) }
                if let Some(picture) = picture {
                    <span class="instrument" title={say.t("page-instrument")}>{ INSTRUMENTATION }{ picture }</span>
                }
            </code></pre>
        </div>
    }
}

/// A line with its locking clause marked.
fn marked(line: &str) -> Html {
    let found = CLAUSES.iter().filter_map(|clause| line.find(clause).map(|at| (at, at + clause.len())));
    // "FOR UPDATE SKIP LOCKED" is one clause: from the first mark to the end of the last.
    let Some((from, to)) = found.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return html! { { line } } };
    html! { <>{ &line[..from] }<mark>{ &line[from..to] }</mark>{ &line[to..] }</> }
}
