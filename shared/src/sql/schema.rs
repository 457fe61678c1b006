//! What a scenario adds to a run's schema: index, history, vacuum settings. The tables themselves are in `migrations/run`.

use crate::ids::HISTORY_BASE;
use crate::program::Value;
use crate::scenario::{Autovacuum, Order, Scenario};

/// A statement of the preparation with its parameters.
pub type Step = (&'static str, Vec<Value>);

/// The statements that prepare a run's tables as a scenario asks, in order; each is executed by itself.
pub fn preparation(scenario: &Scenario) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    if scenario.history > 0 {
        let args = vec![Value::Int(i64::from(HISTORY_BASE)), Value::Int(i64::from(scenario.history))];
        steps.push((include_str!("../../sql/schema/history.sql"), args));
    }
    if scenario.partial_index {
        steps.push((index_text(scenario.order), Vec::new()));
    }
    match scenario.autovacuum {
        Autovacuum::Default => {}
        Autovacuum::Off => steps.push((include_str!("../../sql/schema/autovacuum_off.sql"), Vec::new())),
        Autovacuum::Tuned => steps.push((include_str!("../../sql/schema/autovacuum_tuned.sql"), Vec::new())),
    }
    if scenario.history > 0 {
        steps.push((include_str!("../../sql/schema/analyze.sql"), Vec::new()));
    }
    steps
}

/// The partial index that has the claim's order.
fn index_text(order: Order) -> &'static str {
    match order {
        Order::Unordered | Order::RunAt => include_str!("../../sql/schema/index_run_at.sql"),
        Order::RunAtId => include_str!("../../sql/schema/index_run_at_id.sql"),
        Order::PriorityRunAtId => include_str!("../../sql/schema/index_priority.sql"),
    }
}
