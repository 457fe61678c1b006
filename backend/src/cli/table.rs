//! The summary of a run as an aligned table, through the catalogue.

use rowlock_shared::text::{Lang, Message, say};
use rowlock_shared::world::{Percentiles, Summary, World};

/// The table, with a line feed at the end of each line: what happened, how long it took, and how far it is to be trusted.
pub(super) fn table(world: &World, lang: Lang) -> String {
    let summary = world.summary();
    let mut out = heading(world, lang);
    out += &align(&counters(&summary, lang));
    out.push('\n');
    out += &align(&durations(&summary, lang));
    for note in notes(world, &summary, lang) {
        out += &format!("\n* {note}");
    }
    out.push('\n');
    out
}

fn heading(world: &World, lang: Lang) -> String {
    let Some((reason, detail)) = &world.ended else { return String::new() };
    let word = serde_json::to_value(reason).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default();
    let mut line = say(lang, &format!("summary-ended-{word}"));
    if !detail.is_empty() {
        line += &format!(": {detail}");
    }
    let engine = Message::new("summary-engine").with("engine", world.engine.as_str()).say(lang);
    format!("{line}\n{engine}\n\n")
}

/// Label and value. Zeros of what a scenario need not have are left out, so that what did happen stands out.
fn counters(s: &Summary, lang: Lang) -> Vec<[String; 2]> {
    let seconds = |us: u64| format!("{:.3} s", us as f64 / 1e6);
    let always = [
        ("done", s.done.to_string()),
        ("elapsed", seconds(s.elapsed_us)),
        ("jobs-per-second", format!("{:.1}", s.jobs_per_second)),
        ("busy", format!("{:.1} %", s.busy * 100.0)),
        ("effects", s.effects.to_string()),
        ("duplicates", s.duplicates.to_string()),
        ("polls", s.polls.to_string()),
        ("statements", s.statements.to_string()),
    ];
    let sometimes = [
        ("queued", s.queued),
        ("processing", s.processing),
        ("failed", s.failed),
        ("waits", s.waits),
        ("skips", s.skips.unwrap_or(0)),
        ("rechecks", s.rechecks.unwrap_or(0)),
        ("nowait-errors", s.nowait_errors),
        ("lock-timeouts", s.lock_timeouts),
        ("serialization-failures", s.serialization_failures),
        ("deadlocks", s.deadlocks),
        ("races-lost", s.races_lost),
        ("ran-again", s.ran_again),
        ("inversions", s.inversions),
        ("stale-acks", s.stale_acks),
        ("retries", s.retries),
        ("reaped", s.reaped),
        ("dead-letters", s.dead_letters),
        ("suppressed", s.suppressed),
        ("crashes", s.crashes),
        ("hangs", s.hangs),
        ("empty-queue", s.empty_queue),
        ("empty-locked", s.empty_locked),
        ("empty-not-due", s.empty_not_due),
        ("empty-after-snapshot", s.empty_after_snapshot),
        ("empty-unknown", s.empty_unknown),
    ];
    let happened = sometimes.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name, n.to_string()));
    let waited = (s.waited_us > 0).then(|| ("waited", seconds(s.waited_us)));
    let dead = (s.dead_tuples > 0).then(|| ("dead-tuples", s.dead_tuples.to_string()));
    let rows = always.into_iter().chain(happened).chain(waited).chain(dead);
    rows.map(|(name, value)| [say(lang, &format!("summary-{name}")), value]).collect()
}

fn durations(s: &Summary, lang: Lang) -> Vec<[String; 5]> {
    let head = ["durations", "p50", "p95", "p99", "max"].map(|name| say(lang, &format!("summary-{name}")));
    let rows = [
        ("queue-wait", s.queue_wait),
        ("total-time", s.total_time),
        ("poll-latency", s.poll_latency),
        ("wait-time", s.wait_time),
    ];
    let row = |(name, p): (&str, Percentiles)| {
        let [p50, p95, p99, max] = [p.p50_us, p.p95_us, p.p99_us, p.max_us].map(|us| format!("{:.2}", us as f64 / 1e3));
        [say(lang, &format!("summary-{name}")), p50, p95, p99, max]
    };
    std::iter::once(head).chain(rows.into_iter().filter(|(_, p)| p.count > 0).map(row)).collect()
}

/// How far the figures are to be trusted.
fn notes(world: &World, summary: &Summary, lang: Lang) -> Vec<String> {
    let observed = world.scenario.as_ref().is_some_and(|scenario| scenario.observer);
    let mut notes = vec![say(lang, if observed { "summary-note-waits" } else { "summary-note-no-observer" })];
    if summary.skips.is_none() {
        notes.push(say(lang, "summary-note-no-skips"));
    }
    if world.observer.looks > 0 {
        let ms = world.observer.us as f64 / 1e3;
        let note = Message::new("summary-note-observer").with("looks", world.observer.looks);
        notes.push(note.with("ms", format!("{ms:.0}")).say(lang));
    }
    notes.extend(world.notices.iter().map(|notice| notice.say(lang)));
    notes
}

/// The first column to the left, the others to the right, all as wide as need be.
fn align<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).enumerate();
        let cells =
            cells.map(|(n, (cell, width))| if n == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") });
        out += &format!("  {}\n", cells.collect::<Vec<_>>().join("  "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::align;

    #[test]
    fn columns_line_up_in_every_alphabet() {
        let rows = [["сделано".to_owned(), "7".to_owned()], ["of".to_owned(), "100".to_owned()]];
        assert_eq!(align(&rows), "  сделано    7\n  of       100\n");
    }
}
