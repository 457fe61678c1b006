//! Whether a batch of events follows what is known.

use rowlock_shared::event::Event;

/// How a batch continues the events up to `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// It continues them; repeated events at its beginning are passed over by the store.
    Yes,
    /// Everything in it is known.
    Known,
    /// Events are missing in between.
    Gap,
}

/// How these events follow the one numbered `last`.
pub(super) fn follows(last: u64, events: &[Event]) -> Follows {
    match (events.first(), events.last()) {
        (Some(first), _) if first.seq > last + 1 => Follows::Gap,
        (Some(_), Some(end)) if end.seq > last => Follows::Yes,
        _ => Follows::Known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowlock_shared::event::{Evidence, What};
    use rowlock_shared::ids::Actor;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn batch(numbers: std::ops::Range<u64>) -> Vec<Event> {
        let event = |seq| Event { seq, at: seq, who: Actor::Run, evidence: Evidence::Executed, what: What::Committed };
        numbers.map(event).collect()
    }

    #[wasm_bindgen_test]
    fn gaps_and_repeats_are_told_apart() {
        assert_eq!(follows(0, &batch(1..4)), Follows::Yes);
        assert_eq!(follows(3, &batch(2..6)), Follows::Yes);
        assert_eq!(follows(3, &batch(1..4)), Follows::Known);
        assert_eq!(follows(3, &batch(5..6)), Follows::Gap);
        assert_eq!(follows(3, &[]), Follows::Known);
    }
}
