//! A row of the jobs table: state, attempts, the lock on it and who stands in line behind it.

use super::disc::{Form, colour, colour_of, disc};
use super::icon::{Icon, icon};
use super::job_note::Note;
use crate::fmt;
use crate::say::{Say, use_say};
use rowlock_shared::ids::{Actor, WorkerId};
use rowlock_shared::text::Message;
use rowlock_shared::world::{JobState, JobView};
use yew::prelude::*;

/// Waiters up to this many stand side by side; more of them overlap.
const ROOMY: usize = 6;

/// Waiters that are drawn; the rest is a number.
const IN_LINE: usize = 9;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) job: JobView,
    pub(crate) note: Option<Note>,
    /// Priority classes are in use.
    pub(crate) priorities: bool,
    pub(crate) marked: bool,
}

/// The row.
#[component]
pub(crate) fn JobRow(props: &Props) -> Html {
    let say = use_say();
    let job = &props.job;
    let word = state_word(job.state);
    let owner = job.holder.as_ref().map(|holder| holder.who).or(job.owner.map(Actor::Worker));
    let stripe = owner.map(colour_of);
    html! {
        <tr class={classes!("job", word, stripe.map(|colour| classes!("has-stripe", colour)), props.marked.then_some("marked"))}
            data-testid={format!("row-{}", job.id)} data-state={word} aria-rowindex={(job.id.0 + 1).to_string()}>
            <th scope="row">{ job.id.0 }</th>
            <td class="state">{ say.t(&format!("state-{word}")) }
                if props.priorities { <span class="priority" title={say.t("page-priority")}>{ "p" }{ job.priority }</span> }
            </td>
            <td class="tries">{ if job.attempts > 0 { job.attempts.to_string() } else { String::new() } }</td>
            <td class="line">{ lock(say, job) }{ note(say, props.note.as_ref()) }</td>
        </tr>
    }
}

/// The word of a state, as in the database.
pub(crate) fn state_word(state: JobState) -> &'static str {
    match state {
        JobState::Queued => "queued",
        JobState::Processing => "processing",
        JobState::Done => "done",
        JobState::Failed => "failed",
    }
}

fn lock(say: Say, job: &JobView) -> Html {
    let title = say.m(&Message::new("page-queue").with("who", names(&job.queue)));
    html! {
        <>
            if let Some(holder) = &job.holder {
                <span class={classes!("lock", colour_of(holder.who))} title={lock_title(say, job)}>
                    { icon(Icon::Lock) }<b>{ holder.who.mark() }</b>
                    if let Some(mode) = holder.modes.first().filter(|_| job.queue.is_empty()) { <small>{ mode }</small> }
                </span>
            } else if let Some(owner) = job.owner.filter(|_| job.state == JobState::Processing) {
                <span class={classes!("owner", colour(owner))} title={say.m(&Message::new("page-owned-by").with("who", owner.letter()))}>
                    { disc(Actor::Worker(owner), Form::Solid) }
                </span>
            }
            if !job.queue.is_empty() {
                <span class={classes!("waiters", (job.queue.len() > ROOMY).then_some("crowd"))} role="img" title={title.clone()} aria-label={title.clone()}>
                    <i></i>{ for job.queue.iter().take(IN_LINE).map(|who| disc(*who, Form::Ring)) }
                    if job.queue.len() > IN_LINE { <small>{ "+" }{ job.queue.len() - IN_LINE }</small> }
                </span>
            }
        </>
    }
}

fn lock_title(say: Say, job: &JobView) -> String {
    let Some(holder) = &job.holder else { return String::new() };
    let modes = if holder.modes.is_empty() { String::new() } else { format!(" ({})", holder.modes.join(", ")) };
    let key = match holder.evidence {
        rowlock_shared::event::Evidence::Observed => "page-held-observed",
        _ => "page-held",
    };
    say.m(&Message::new(key).with("who", holder.who.mark())) + &modes
}

fn names(who: &[Actor]) -> String {
    who.iter().map(|one| one.mark()).collect::<Vec<_>>().join(", ")
}

fn letters(who: &[WorkerId]) -> String {
    who.iter().map(|one| one.letter()).collect::<Vec<_>>().join(", ")
}

fn note(say: Say, note: Option<&Note>) -> Html {
    let Some(note) = note else { return html! {} };
    let message = match note {
        Note::Together(who) => Message::new("page-note-together").with("who", letters(who)),
        Note::Repeated(n) => Message::new("page-note-repeated").with("n", *n),
        Note::RanAgain(n) => Message::new("page-note-ran-again").with("n", *n),
        Note::DueIn(us) => Message::new("page-note-due-in").with("time", fmt::duration(say.0, *us)),
        Note::Neglected => Message::new("page-note-neglected"),
        Note::Hopped(who) => Message::new("page-note-hopped").with("who", letters(who)),
        Note::Left(who, true) => Message::new("page-note-left-lease").with("who", who.letter()),
        Note::Left(who, false) => Message::new("page-note-left").with("who", who.letter()),
        Note::Hangs(who) => Message::new("page-note-hangs").with("who", who.letter()),
        Note::Reaped(n) => Message::new("page-note-reaped").with("n", *n),
        Note::GivenUp => Message::new("page-note-given-up"),
    };
    html! {
        <span class={classes!("note", note.class())}>
            if matches!(note, Note::Hopped(_)) { { icon(Icon::Hop) } }
            { say.m(&message) }
        </span>
    }
}
