//! Parts of sentences: names, lists, ranges of ids, durations.

use crate::event::RefusalKind;
use crate::ids::{Actor, JobId};
use crate::program::Point;
use crate::text::{Arg, Message};

/// Someone in the middle of a sentence: a worker's letter, or a name.
pub fn actor(who: Actor) -> Arg {
    let key = match who {
        Actor::Worker(id) => return id.letter().into(),
        Actor::Producer => "actor-producer",
        Actor::Reaper => "actor-reaper",
        Actor::Heartbeat => "actor-heartbeat",
        Actor::Listener => "actor-listener",
        Actor::Bystander => "actor-bystander",
        Actor::Outside => "actor-outside",
        Actor::Observer => "actor-observer",
        Actor::Run => "actor-run",
        // As text: a process id is no quantity and has no thousands.
        Actor::Stranger { pid } => return Message::new("actor-stranger").with("pid", pid.to_string()).into(),
    };
    Message::new(key).into()
}

/// Someone at the beginning of a sentence.
pub fn actor_start(who: Actor) -> Arg {
    match actor(who) {
        Arg::Message(mut name) => {
            name.key = format!("{}-start", name.key).into();
            Arg::Message(name)
        }
        letter => letter,
    }
}

/// "A", "A and B", "A, B and C".
pub(super) fn actors(who: &[Actor]) -> Option<Arg> {
    let (last, rest) = who.split_last()?;
    let commas = rest
        .iter()
        .map(|one| actor(*one))
        .reduce(|left, right| Message::new("list-comma").with("left", left).with("right", right).into());
    Some(match commas {
        None => actor(*last),
        Some(left) => Message::new("list-and").with("left", left).with("right", actor(*last)).into(),
    })
}

/// Most ranges in one sentence; what is beyond them is "…".
const MOST_RANGES: usize = 8;

/// Ids in ascending order, neighbours drawn together: "7–10, 12".
pub fn id_ranges(ids: &[JobId]) -> String {
    let mut sorted: Vec<u32> = ids.iter().map(|id| id.0).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for id in sorted {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == id => *last = id,
            _ => ranges.push((id, id)),
        }
    }
    let show = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    };
    let mut shown: Vec<String> = ranges.iter().take(MOST_RANGES).map(show).collect();
    if ranges.len() > MOST_RANGES {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

/// So many ids from the first on.
pub(super) fn span(first: JobId, count: u32) -> String {
    match count {
        0 | 1 => first.to_string(),
        _ => format!("{first}–{}", first.0.saturating_add(count - 1)),
    }
}

/// The message with `n` and `ids`.
pub(super) fn with_rows(message: Message, ids: &[JobId]) -> Message {
    message.with("n", ids.len()).with("ids", id_ranges(ids))
}

/// A duration in µs, in the unit and with the precision that a person wants: "850 µs", "43 ms", "1.6 s", "12 s", "2 min 5 s".
pub fn duration(us: u64) -> Message {
    if us < 1000 {
        return Message::new("duration-us").with("n", us);
    }
    let ms = (us + 500) / 1000;
    if ms < 1000 {
        return Message::new("duration-ms").with("n", ms);
    }
    let tenths = (us + 50_000) / 100_000;
    if tenths < 100 {
        return match tenths % 10 {
            0 => Message::new("duration-s").with("n", tenths / 10),
            rest => Message::new("duration-s-tenths").with("n", tenths / 10).with("tenths", rest),
        };
    }
    let seconds = (us + 500_000) / 1_000_000;
    if seconds < 60 {
        return Message::new("duration-s").with("n", seconds);
    }
    Message::new("duration-min").with("n", seconds / 60).with("s", seconds % 60)
}

/// A protocol point.
pub(super) fn point(point: Point) -> Message {
    Message::new(format!("point-{}", point.word()))
}

/// An error by its kind.
pub(super) fn refusal(kind: RefusalKind) -> Message {
    Message::new(match kind {
        RefusalKind::Nowait => "refusal-nowait",
        RefusalKind::LockTimeout => "refusal-lock-timeout",
        RefusalKind::Serialization => "refusal-serialization",
        RefusalKind::Deadlock => "refusal-deadlock",
        RefusalKind::Cancelled => "refusal-cancelled",
        RefusalKind::IdleInTransaction => "refusal-idle-in-transaction",
        RefusalKind::Terminated => "refusal-terminated",
        RefusalKind::ConnectionLost => "refusal-connection-lost",
        RefusalKind::Other => "refusal-other",
    })
}
