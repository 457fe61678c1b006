//! Every statement file, under every combination of knobs that changes its text, executes on the server with the
//! arguments that the queue program gives it.

use super::hand::Table;
use rowlock_shared::program::Value;
use rowlock_shared::scenario::{Choice, Fence, Isolation, LockStrength, Mode, Order, Scenario};
use rowlock_shared::sql::{StatementId, text};
use std::collections::BTreeSet;

const SWITCH: [bool; 2] = [false, true];

/// Every scenario that differs in a knob that a slot reads.
fn scenarios() -> Vec<Scenario> {
    let mut all = vec![Scenario::default()];
    let mut vary = |turn: &dyn Fn(&Scenario) -> Vec<Scenario>| all = all.iter().flat_map(turn).collect();
    vary(&|s| Mode::WORDS.iter().map(|(_, mode)| Scenario { mode: *mode, ..s.clone() }).collect());
    vary(&|s| Order::WORDS.iter().map(|(_, order)| Scenario { order: *order, ..s.clone() }).collect());
    vary(&|s| Fence::WORDS.iter().map(|(_, fence)| Scenario { fence: *fence, ..s.clone() }).collect());
    vary(&|s| Isolation::WORDS.iter().map(|(_, isolation)| Scenario { isolation: *isolation, ..s.clone() }).collect());
    vary(&|s| {
        let strengths = LockStrength::WORDS.iter();
        strengths.map(|(_, strength)| Scenario { lock_strength: *strength, ..s.clone() }).collect()
    });
    vary(&|s| SWITCH.map(|evidence| Scenario { evidence, ..s.clone() }).into());
    vary(&|s| SWITCH.map(|claim_checks_attempts| Scenario { claim_checks_attempts, ..s.clone() }).into());
    vary(&|s| SWITCH.map(|reaper_checks_attempts| Scenario { reaper_checks_attempts, ..s.clone() }).into());
    vary(&|s| SWITCH.map(|dead_letter| Scenario { dead_letter, ..s.clone() }).into());
    all
}

/// The arguments as the queue program gives them, and the rows that the statement then returns or changes.
fn arguments(statement: StatementId, fence: Fence) -> (Vec<Value>, u64) {
    use StatementId::*;
    let name = || Value::Text("worker-A".into());
    let fenced = |mut args: Vec<Value>| {
        args.extend((fence != Fence::Off).then(name));
        args.extend((fence == Fence::OwnerAttempt).then_some(Value::Int(1)));
        (args, 1)
    };
    match statement {
        Claim => (vec![name()], 1),
        NaiveSelect => (vec![], 1),
        NaiveUpdate => (vec![Value::Ints(vec![2]), name()], 1),
        ClaimAdvisory => (vec![name(), Value::Int(2_100_000_000)], 1),
        Ack | DeadLetter => fenced(vec![Value::Int(1)]),
        Requeue => fenced(vec![Value::Int(1), Value::Int(1_000)]),
        Enqueue => (vec![Value::Ints(vec![10, 11]), Value::Ints(vec![0, 1]), Value::Int(3)], 2),
        Notify => (vec![Value::Text("rowlock_statements".into())], 1),
        Reap => (vec![Value::Int(0)], 1),
        Heartbeat => (vec![Value::Ints(vec![1]), Value::Texts(vec!["worker-A".into()]), Value::Ints(vec![1])], 1),
        Effect => {
            let key = Value::Text("mail-1".into());
            (vec![Value::Int(1), Value::Text("mail".into()), name(), Value::Int(1), Value::Int(1), key], 1)
        }
        LookAfterEmpty | Remaining | HoldSnapshot => (vec![], 1),
        Begin | BeginEnqueue | BeginSnapshot | Commit | Rollback => (vec![], 0),
    }
}

#[tokio::test]
async fn every_statement_under_every_knob_executes_and_touches_the_rows_that_it_should() {
    // Job 1 is in processing by worker-A's first attempt, job 2 is on the queue.
    let table = Table::new(Scenario::default(), 2).await;
    let mut hand = table.hand().await;
    assert_eq!(hand.claim(&table, "worker-A").await.expect("claims").ids(), [1]);
    let (scenarios, mut seen) = (scenarios(), BTreeSet::new());
    for statement in StatementId::ALL {
        for scenario in &scenarios {
            let text = text(*statement, scenario);
            if !seen.insert((*statement, text.clone())) {
                continue;
            }
            let (args, rows) = arguments(*statement, scenario.fence);
            let file = statement.file();
            if statement.is_control() {
                // BEGIN opens a transaction, and the others end one without complaint.
                if !statement.is_begin() {
                    hand.tell("BEGIN").await;
                }
                hand.tell(&text).await;
                if statement.is_begin() {
                    hand.tell("ROLLBACK").await;
                }
                continue;
            }
            hand.tell("BEGIN").await;
            let answer = hand.ask(&text, &args).await;
            let answer = answer.unwrap_or_else(|refused| panic!("{file}: {refused:?}\n{text}"));
            assert_eq!(answer.affected, rows, "{file}\n{text}");
            hand.tell("ROLLBACK").await;
        }
    }
    let texts = |statement| seen.iter().filter(|(one, _)| *one == statement).count();
    let locks = 2 * 3; // two strengths; waiting, skipping, refusing
    let (evidence, attempts) = (4 + 2, 2); // four orders, and evidence where the order is total
    assert_eq!(texts(StatementId::Claim), locks * evidence * attempts);
    assert_eq!(texts(StatementId::ClaimAdvisory), 2 * evidence * attempts, "guarded or not");
    assert_eq!((texts(StatementId::Ack), texts(StatementId::Reap), texts(StatementId::Begin)), (3, 2, 3));
}

#[tokio::test]
async fn effects_with_the_same_idempotency_key_happen_once_and_without_a_key_every_time() {
    let table = Table::new(Scenario::default(), 0).await;
    let mut hand = table.hand().await;
    let effect = table.text(StatementId::Effect);
    let (with_key, _) = arguments(StatementId::Effect, Fence::Off);
    let mut without = with_key.clone();
    without[5] = Value::Null;
    let mut rows = Vec::new();
    for args in [&with_key, &with_key, &without, &without] {
        rows.push(hand.ask(&effect, args).await.expect("no error").rows.len());
    }
    assert_eq!(rows, [1, 0, 1, 1]);
}
