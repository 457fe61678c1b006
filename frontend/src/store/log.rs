//! The last events as sentences.

use rowlock_shared::event::{Event, Evidence};
use rowlock_shared::ids::{Actor, WorkerId};
use rowlock_shared::narrate::{self, Tone};
use rowlock_shared::text::Message;
use rowlock_shared::world::World;
use std::collections::VecDeque;
use std::rc::Rc;

/// Lines that are kept.
const KEPT: usize = 500;

/// One event as a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) seq: u64,
    /// µs of the run.
    pub(crate) at: u64,
    pub(crate) who: Actor,
    pub(crate) evidence: Evidence,
    pub(crate) tone: Tone,
    pub(crate) message: Message,
}

/// The last lines, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    lines: VecDeque<Rc<Line>>,
}

impl Log {
    /// Tells an event; `before` is the world just before it. Events without a sentence leave no line.
    pub(crate) fn push(&mut self, event: &Event, before: &World) {
        let Some(narrate::Line { tone, message }) = narrate::line(event, before) else { return };
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(Rc::new(Line {
            seq: event.seq,
            at: event.at,
            who: event.who,
            evidence: event.evidence,
            tone,
            message,
        }));
    }

    /// The last `most` lines, of one worker or of all, oldest first.
    pub(crate) fn last(&self, most: usize, of: Option<WorkerId>) -> Vec<Rc<Line>> {
        let wanted = |line: &&Rc<Line>| of.is_none() || line.who.worker() == of;
        let mut lines: Vec<Rc<Line>> = self.lines.iter().rev().filter(wanted).take(most).cloned().collect();
        lines.reverse();
        lines
    }
}
