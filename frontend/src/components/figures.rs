//! The figures of a run: which numbers are shown, and when one of them hurts.

use crate::fmt::{self, DASH};
use rowlock_shared::event::RefusalKind;
use rowlock_shared::text::Lang;
use rowlock_shared::world::{Activity, World};

/// How a figure is to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feel {
    /// Nothing to notice.
    Quiet,
    /// A plain figure.
    Plain,
    /// It costs time.
    Wait,
    /// It is a fault.
    Harm,
}

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// Its name in tests; its label is `page-figure-<name>`, its explanation `page-figure-<name>-about`.
    pub(crate) name: &'static str,
    /// As people read it.
    pub(crate) text: String,
    /// The number itself; none where nobody looks.
    pub(crate) raw: Option<f64>,
    pub(crate) feel: Feel,
    /// It is known to be too low, since it was sampled.
    pub(crate) at_least: bool,
}

/// Time at work and in waits up to now, stretches that still go on included, µs.
pub(crate) fn busy_and_waited(world: &World, now: u64) -> (u64, u64) {
    let (mut busy, mut waited) = (world.counters.busy_us, world.counters.waited_us);
    if world.is_running() {
        for worker in &world.workers {
            if let Activity::Working { since, .. } = worker.activity {
                busy += now.saturating_sub(since);
            }
            if let Some(wait) = &worker.session.wait {
                waited += now.saturating_sub(wait.since);
            }
        }
    }
    (busy, waited)
}

/// The figures in the order of the strip: what matters most first.
pub(crate) fn figures(world: &World, now: u64, lang: Lang) -> Vec<Figure> {
    let c = &world.counters;
    let (busy_us, waited_us) = busy_and_waited(world, now);
    let workers = world.workers.len() as u32;
    let busy = match u64::from(workers) * now {
        0 => 0.0,
        all => (busy_us as f64 / all as f64).min(1.0),
    };
    let waiting = world.waiting() as u32;
    let looks = world.scenario.as_ref().is_some_and(|s| s.evidence && s.total_order());
    let locks = [RefusalKind::Nowait, RefusalKind::LockTimeout, RefusalKind::Deadlock, RefusalKind::Serialization];
    let lock_errors: u32 = locks.iter().map(|kind| c.refused(*kind)).sum();
    let count = |name, n: u32, feel| Figure {
        name,
        text: fmt::whole(lang, n),
        raw: Some(f64::from(n)),
        feel: if n == 0 { Feel::Quiet } else { feel },
        at_least: false,
    };
    let looked = |name, n: u32| if looks { count(name, n, Feel::Plain) } else { unseen(name) };
    let time = |name, us: Option<u64>, feel| match us {
        Some(us) => Figure { name, text: fmt::duration(lang, us), raw: Some(us as f64), feel, at_least: false },
        None => unseen(name),
    };
    let speed = world.jobs_per_second();
    let mut all = vec![
        Figure {
            name: "jobs-per-second",
            text: fmt::number(lang, speed, if speed < 100.0 { 1 } else { 0 }),
            raw: Some(speed),
            feel: Feel::Plain,
            at_least: false,
        },
        Figure { name: "busy", text: fmt::percent(lang, busy), raw: Some(busy), feel: Feel::Plain, at_least: false },
        Figure { text: fmt::whole(lang, waiting), ..count("waiting", waiting, Feel::Wait) },
        Figure {
            at_least: waited_us > 0,
            ..time("waited", Some(waited_us), if waited_us == 0 { Feel::Quiet } else { Feel::Wait })
        },
        count("duplicates", c.duplicates, Feel::Harm),
        count("ran-again", c.ran_again, Feel::Harm),
        time("queue-wait-p95", c.queue_wait.percentile(0.95), Feel::Plain),
        looked("skips", c.skips),
        looked("rechecks", c.rechecks),
        count("lock-errors", lock_errors, Feel::Wait),
        count("inversions", c.inversions, Feel::Plain),
        count("stale-acks", c.stale_acks, Feel::Wait),
        count("retries", c.retries, Feel::Plain),
        count("reaped", c.reaped, Feel::Wait),
        count("dead-letters", c.dead_letters, Feel::Harm),
        Figure {
            text: fmt::whole(lang, world.table.dead),
            raw: Some(world.table.dead as f64),
            ..count("dead-tuples", u32::try_from(world.table.dead).unwrap_or(0), Feel::Plain)
        },
        time("poll-p50", c.poll_latency.percentile(0.5), Feel::Plain),
        time("poll-p95", c.poll_latency.percentile(0.95), Feel::Plain),
    ];
    // Only where the knob is on: elsewhere the figure would say nothing.
    if world.scenario.as_ref().is_some_and(|s| s.idempotency_key) {
        all.push(count("suppressed", c.suppressed, Feel::Plain));
    }
    all
}

fn unseen(name: &'static str) -> Figure {
    Figure { name, text: DASH.to_owned(), raw: None, feel: Feel::Quiet, at_least: false }
}
