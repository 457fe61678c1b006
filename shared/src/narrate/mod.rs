//! Sentences: what an event means, in the words of a teacher, and what a worker does right now.
//!
//! Everything is told from the event and the world *before* it, never from an engine. The words are the catalogue's
//! (`tell-…` and `doing-…` in `narration.ftl`); here is only decided which of them are true. Read [`line()`] first.

mod activity;
mod claim;
mod fate;
mod parts;
mod settle;
mod wait;

pub use activity::{activity, activity_at};
pub use parts::{actor, actor_start, duration, id_ranges};

use crate::event::{EndReason, Event, What};
use crate::ids::Actor;
use crate::scenario::Scenario;
use crate::text::{Message, word_key};
use crate::world::World;
use serde::{Deserialize, Serialize};

/// How much a sentence should be noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// The ordinary course of things.
    #[default]
    Quiet,
    /// Someone waits, or a round was wasted.
    Waiting,
    /// Something went wrong: a crash, a duplicate, a job given up.
    Harm,
    /// Something went well, or a protection did its work.
    Good,
}

/// A sentence and how much it should be noticed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// How much.
    pub tone: Tone,
    /// The sentence.
    pub message: Message,
}

/// The line of an event, if it is worth one. `before` is the world without the event.
pub fn line(event: &Event, before: &World) -> Option<Line> {
    tell(event, before).map(|(tone, message)| Line { tone, message })
}

/// The sentence of an event, if it is worth one. `before` is the world without the event.
pub fn sentence(event: &Event, before: &World) -> Option<Message> {
    tell(event, before).map(|(_, message)| message)
}

/// How much an event should be noticed; [`Tone::Quiet`] where it has no sentence.
pub fn tone(event: &Event, before: &World) -> Tone {
    tell(event, before).map_or(Tone::Quiet, |(tone, _)| tone)
}

type Told = Option<(Tone, Message)>;

fn quiet(message: Message) -> Told {
    Some((Tone::Quiet, message))
}

fn waiting(message: Message) -> Told {
    Some((Tone::Waiting, message))
}

fn harm(message: Message) -> Told {
    Some((Tone::Harm, message))
}

fn good(message: Message) -> Told {
    Some((Tone::Good, message))
}

/// A sentence that begins with whose event it is.
fn by(who: Actor, key: &'static str) -> Message {
    Message::new(key).with("who", actor_start(who))
}

fn tell(event: &Event, before: &World) -> Told {
    let who = event.who;
    match &event.what {
        What::RunBegan { scenario, engine } => quiet(run_began(scenario, engine)),
        What::RunEnded { reason, detail } => Some((end_tone(*reason), run_ended(*reason, detail, event.at))),
        What::Notice { message } => quiet(message.clone()),
        What::Connected { .. } if matches!(who, Actor::Stranger { .. }) => quiet(by(who, "tell-joined")),
        What::Connected { .. } | What::Sent { .. } | What::PollBegan { .. } | What::PauseBegan { .. } => None,
        What::Enqueued { first, count, .. } => {
            let ids = parts::span(*first, *count);
            quiet(Message::new("tell-enqueued").with("n", *count).with("ids", ids))
        }

        What::Returned { refusal, .. } => claim::refused(who, refusal.as_ref()?, before),
        What::Claimed { jobs } => claim::claimed(who, jobs, before),
        What::ClaimEmpty { reason } => claim::empty(who, *reason, before),
        What::RaceLost { jobs } => waiting(parts::with_rows(by(who, "tell-race-lost"), jobs)),

        What::WaitBegan { wait, job, blocked_by, place, lock, .. } => {
            waiting(wait::began(who, *wait, *job, blocked_by, *place, lock, before))
        }
        What::WaitMoved { place, .. } => wait::moved(who, *place, before),
        What::WaitEnded { us } => waiting(wait::ended(who, *us, before)),
        What::RowLocked { job, modes, .. } => wait::row_locked(who, *job, modes),
        What::RowReleased { job } => wait::row_released(who, *job),

        What::WorkBegan { job, us, .. } => fate::work_began(who, *job, *us, before),
        What::WorkEnded { job, ok, .. } => fate::work_ended(who, *job, *ok, before),
        What::Effect { job, effect, repeats, .. } => fate::effect(who, *job, effect, *repeats, before),
        What::EffectSuppressed { job, effect, .. } => {
            good(Message::new("tell-suppressed").with("who", actor(who)).with("row", job.0).with("effect", &**effect))
        }

        What::Acked { job } => settle::acked(who, *job, before),
        What::StaleAck { job } => settle::stale(who, *job, before),
        What::Requeued { job, delay_us, .. } => {
            waiting(by(who, "tell-requeued").with("row", job.0).with("time", duration(*delay_us)))
        }
        What::DeadLettered { job, attempt } => {
            harm(by(who, "tell-dead-letter").with("row", job.0).with("attempt", *attempt))
        }
        What::Committed => settle::committed(who, before),
        What::RolledBack => settle::rolled_back(who, before),

        What::Crashed { point, jobs } => harm(fate::crashed(who, *point, jobs, before)),
        What::Hung { job } => harm(fate::hung(who, *job, before)),
        What::SessionLost { refusal } => harm(fate::session_lost(who, refusal, before)),
        What::Restarted => good(by(who, "tell-restarted")),
        What::Reaped { job, owner, attempt, age_us, dead } => {
            Some(fate::reaped(*job, *owner, *attempt, *age_us, *dead, before))
        }
        What::Heartbeat { jobs } if jobs.is_empty() => None,
        What::Heartbeat { jobs } => quiet(parts::with_rows(Message::new("tell-heartbeat"), jobs)),

        What::BackendSeen { orphan_of, state, .. } => fate::backend(who, *orphan_of, state, before),
        What::BackendGone => fate::backend_gone(who, before),

        What::Table { stats } if stats.vacuums > before.table.vacuums => {
            good(Message::new("tell-vacuum").with("before", before.table.dead).with("after", stats.dead))
        }
        What::Table { .. } | What::ObserverCost { .. } => None,
        What::PausedAt { point } => waiting(by(who, "tell-paused").with("point", parts::point(*point))),
        What::ResumedAt { .. } => quiet(by(who, "tell-resumed")),
    }
}

fn run_began(scenario: &Scenario, engine: &str) -> Message {
    Message::new("tell-run-began")
        .with("engine", engine)
        .with("workers", scenario.workers)
        .with("jobs", scenario.jobs)
        .with("mode", Message::new(word_key("mode", scenario.mode.word())))
}

fn run_ended(reason: EndReason, detail: &str, at: u64) -> Message {
    let key = if detail.is_empty() { "tell-run-ended" } else { "tell-run-ended-detail" };
    let said = Message::new(key).with("time", duration(at)).with("reason", Message::new(end_key(reason)));
    if detail.is_empty() { said } else { said.with("detail", detail) }
}

/// The catalogue's key of a reason for a run's end.
pub fn end_key(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Quiescent => "end-quiescent",
        EndReason::TimeLimit => "end-time-limit",
        EndReason::Stopped => "end-stopped",
        EndReason::DatabaseLost => "end-database-lost",
        EndReason::EventLimit => "end-event-limit",
        EndReason::Failed => "end-failed",
    }
}

fn end_tone(reason: EndReason) -> Tone {
    match reason {
        EndReason::Quiescent => Tone::Good,
        EndReason::TimeLimit | EndReason::Stopped => Tone::Quiet,
        EndReason::DatabaseLost | EndReason::EventLimit | EndReason::Failed => Tone::Harm,
    }
}

#[cfg(test)]
mod tests;
