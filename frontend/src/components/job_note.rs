//! What is worth saying about a job right now: at most one note, the most important.

use rowlock_shared::ids::{JobId, WorkerId};
use rowlock_shared::world::{Activity, JobState, JobView, World};

/// A note.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Note {
    /// Several are at work on it at once.
    Together(Vec<WorkerId>),
    /// Effects happened again.
    Repeated(u32),
    /// Its work ran to the end more than once.
    RanAgain(u32),
    /// Due again after so many µs.
    DueIn(u64),
    /// Free, while others wait for another row.
    Neglected,
    /// Passed over by the last claims of these.
    Hopped(Vec<WorkerId>),
    /// Left in processing by a worker that crashed; whether a reaper will come.
    Left(WorkerId, bool),
    /// Held by a worker that hangs.
    Hangs(WorkerId),
    /// The reaper brought it back so many times.
    Reaped(u32),
    /// No attempt is left.
    GivenUp,
}

impl Note {
    /// Its class.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Note::Together(_) | Note::Repeated(_) | Note::RanAgain(_) | Note::GivenUp => "harm",
            Note::Left(..) | Note::Hangs(_) | Note::Neglected => "wait",
            Note::DueIn(_) | Note::Hopped(_) | Note::Reaped(_) => "",
        }
    }
}

/// The note of a job. `waiting` says whether anyone waits for any row, `hoppers` who passed over which.
pub(crate) fn note(
    job: &JobView,
    world: &World,
    now: u64,
    waiting: bool,
    hoppers: &[(WorkerId, JobId)],
) -> Option<Note> {
    if job.running.len() > 1 {
        return Some(Note::Together(job.running.clone()));
    }
    if job.duplicates > 0 {
        return Some(Note::Repeated(job.duplicates));
    }
    if job.runs > 1 {
        return Some(Note::RanAgain(job.runs));
    }
    match job.state {
        JobState::Failed => return Some(Note::GivenUp),
        JobState::Processing => {
            let owner = job.owner.and_then(|id| world.worker(id))?;
            if let Activity::Hung { job: in_hand } = owner.activity
                && in_hand == job.id
            {
                return Some(Note::Hangs(owner.id));
            }
            if job.running.is_empty() && !is_on(&owner.activity, job.id) && job.holder.is_none() {
                let rescued = world.scenario.as_ref().is_some_and(|scenario| scenario.reaper);
                return Some(Note::Left(owner.id, rescued)).filter(|_| lies_idle(owner, job.id));
            }
        }
        JobState::Queued if job.due_at > now => return Some(Note::DueIn(job.due_at - now)),
        JobState::Queued if job.queue.is_empty() => {
            let held_by = job.holder.as_ref().and_then(|holder| holder.who.worker()).and_then(|id| world.worker(id));
            if let Some(owner) = held_by.filter(|owner| matches!(owner.activity, Activity::Hung { .. })) {
                return Some(Note::Hangs(owner.id));
            }
            let by: Vec<WorkerId> = hoppers.iter().filter(|(_, id)| *id == job.id).map(|(who, _)| *who).collect();
            if !by.is_empty() {
                return Some(Note::Hopped(by));
            }
            if waiting && job.is_free(now) {
                return Some(Note::Neglected);
            }
        }
        JobState::Queued | JobState::Done => {}
    }
    (job.reaped > 0).then_some(Note::Reaped(job.reaped))
}

fn is_on(activity: &Activity, id: JobId) -> bool {
    matches!(activity, Activity::Working { job, .. } | Activity::Settling { job } if *job == id)
}

/// Whether an owner has plainly left a job behind: it crashed, or it has turned to something else.
fn lies_idle(owner: &rowlock_shared::world::WorkerView, job: JobId) -> bool {
    let open = owner.session.transaction.is_some() || owner.session.in_flight;
    match owner.activity {
        Activity::Crashed { .. } | Activity::Starting | Activity::Pausing { .. } => !open,
        Activity::Working { job: other, .. } | Activity::Settling { job: other } => other != job && !open,
        Activity::Polling | Activity::Hung { .. } => false,
    }
}

/// Who passed over which of these rows with the last claim.
pub(crate) fn hoppers(world: &World, rows: std::ops::Range<u32>) -> Vec<(WorkerId, JobId)> {
    if !world.is_running() {
        return Vec::new();
    }
    let of = |worker: &rowlock_shared::world::WorkerView| {
        let id = worker.id;
        worker.hopped.iter().filter(|job| rows.contains(&job.0)).map(move |job| (id, *job)).collect::<Vec<_>>()
    };
    world.workers.iter().flat_map(of).collect()
}
