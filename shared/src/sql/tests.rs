//! The statements read as a text book would have them, under every knob.

use super::*;
use crate::scenario::{Choice, Mode};

#[test]
fn every_file_begins_with_its_purpose_and_every_slot_is_filled() {
    for id in StatementId::ALL {
        assert!(id.template().starts_with("-- "), "{}", id.file());
        for (_, mode) in Mode::WORDS {
            for (_, order) in Order::WORDS {
                for (_, fence) in Fence::WORDS {
                    let scenario = Scenario { mode: *mode, order: *order, fence: *fence, ..Scenario::default() };
                    let text = text(*id, &scenario);
                    assert!(!text.contains("{{") && !text.contains("\n\n"), "{}", id.file());
                }
            }
        }
    }
}

#[test]
fn every_slot_is_one_that_the_code_knows() {
    let known = [
        "attempts_left",
        "limit",
        "order_by",
        "lock",
        "evidence",
        "guard",
        "fence 2",
        "fence 3",
        "verdict",
        "isolation",
    ];
    for id in StatementId::ALL {
        for (at, _) in id.template().match_indices("{{") {
            let rest = &id.template()[at + 2..];
            let slot = &rest[..rest.find("}}").expect("closed")];
            assert!(known.contains(&slot), "{}: {slot}", id.file());
        }
    }
}

#[test]
fn the_modes_differ_by_the_words_that_they_are_named_after() {
    let claim = |mode| text(StatementId::Claim, &Scenario { mode, ..Scenario::default() });
    assert!(claim(Mode::ForUpdate).contains("  FOR UPDATE\n)"));
    assert!(claim(Mode::SkipLocked).contains("  FOR UPDATE SKIP LOCKED\n)"));
    assert!(claim(Mode::Nowait).contains("  FOR UPDATE NOWAIT\n)"));
    let update = |mode| text(StatementId::NaiveUpdate, &Scenario { mode, ..Scenario::default() });
    assert!(!update(Mode::Naive).contains("status = 'queued'"));
    assert!(update(Mode::NaiveGuarded).contains("AND status = 'queued'"));
}

#[test]
fn evidence_is_marked_and_can_be_left_out() {
    let with = text(StatementId::Claim, &Scenario::default());
    let without = text(StatementId::Claim, &Scenario { evidence: false, ..Scenario::default() });
    let (book, clause) = with.split_once(",\n  -- instrumentation:").expect("marked");
    assert_eq!(book, without);
    assert!(clause.contains("(ahead.run_at, ahead.id) < (jobs.run_at, jobs.id)"));
    let partial = text(StatementId::Claim, &Scenario { order: Order::RunAt, ..Scenario::default() });
    assert!(!partial.contains(INSTRUMENTATION), "run_at alone is no total order");
}

#[test]
fn fences_number_their_parameters_after_the_statement_s_own() {
    let scenario = Scenario { fence: Fence::OwnerAttempt, ..Scenario::default() };
    assert!(
        text(StatementId::Ack, &scenario)
            .ends_with("WHERE id = $1 AND status = 'processing' AND worker = $2 AND attempts = $3")
    );
    assert!(text(StatementId::Requeue, &scenario).ends_with("worker = $3 AND attempts = $4"));
    assert!(text(StatementId::Ack, &Scenario::default()).ends_with("WHERE id = $1"));
}
