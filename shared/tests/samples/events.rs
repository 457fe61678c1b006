//! A sample of every kind of event, in an order in which they could happen.

use super::scenario;
use rowlock_shared::event::{
    Cause, ClaimedJob, EmptyReason, EndReason, Event, Evidence, LockRow, PauseReason, Refusal, RefusalKind, TableStats,
    WaitFor, What,
};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::program::Point;
use rowlock_shared::sql::StatementId;
use rowlock_shared::text::Message;

macro_rules! kinds {
    ($($variant:ident = $word:literal,)+) => {
        /// How many kinds of events there are.
        pub(crate) const KINDS: usize = [$($word),+].len();

        /// An event's kind as JSON has it. A new kind does not compile until it is here.
        pub(crate) fn kind(what: &What) -> &'static str {
            match what { $(What::$variant { .. } => $word,)+ }
        }
    };
}

kinds! {
    RunBegan = "run-began",
    RunEnded = "run-ended",
    Notice = "notice",
    Connected = "connected",
    SessionLost = "session-lost",
    Sent = "sent",
    Returned = "returned",
    Enqueued = "enqueued",
    PollBegan = "poll-began",
    Claimed = "claimed",
    ClaimEmpty = "claim-empty",
    RaceLost = "race-lost",
    PauseBegan = "pause-began",
    WorkBegan = "work-began",
    WorkEnded = "work-ended",
    Effect = "effect",
    EffectSuppressed = "effect-suppressed",
    Acked = "acked",
    StaleAck = "stale-ack",
    Requeued = "requeued",
    DeadLettered = "dead-lettered",
    Committed = "committed",
    RolledBack = "rolled-back",
    Crashed = "crashed",
    Hung = "hung",
    Restarted = "restarted",
    Reaped = "reaped",
    Heartbeat = "heartbeat",
    WaitBegan = "wait-began",
    WaitMoved = "wait-moved",
    WaitEnded = "wait-ended",
    RowLocked = "row-locked",
    RowReleased = "row-released",
    BackendSeen = "backend-seen",
    BackendGone = "backend-gone",
    Table = "table",
    ObserverCost = "observer-cost",
    PausedAt = "paused-at",
    ResumedAt = "resumed-at",
}

fn lock(locktype: &str) -> LockRow {
    let tuple = locktype == "tuple";
    LockRow {
        locktype: locktype.into(),
        mode: if tuple { "ExclusiveLock" } else { "ShareLock" }.into(),
        granted: false,
        relation: tuple.then(|| "jobs".into()),
        tuple: tuple.then(|| "(0,1)".into()),
        transactionid: (!tuple).then(|| "731".into()),
    }
}

fn refusal(kind: RefusalKind, sqlstate: Option<&str>, routine: Option<&str>, message: &str) -> Refusal {
    Refusal { kind, sqlstate: sqlstate.map(Into::into), routine: routine.map(Into::into), message: message.into() }
}

pub(crate) fn events() -> Vec<Event> {
    let (a, b) = (Actor::Worker(WorkerId(1)), Actor::Worker(WorkerId(2)));
    let stranger = Actor::Stranger { pid: 4711 };
    let (one, two) = (JobId(1), JobId(2));
    let claimed =
        |job, delivery, passed: &[JobId]| ClaimedJob { job, attempt: delivery, delivery, passed: passed.to_vec() };
    let nowait =
        || refusal(RefusalKind::Nowait, Some("55P03"), Some("heap_lock_tuple"), "could not obtain lock on row");
    let lost = || refusal(RefusalKind::ConnectionLost, None, None, "connection reset");
    let began = What::RunBegan { scenario: Box::new(scenario()), engine: "PostgreSQL 15.18".into() };
    let told = [
        (Actor::Run, began),
        (Actor::Run, What::Notice { message: Message::new("notice-clock").with("us", 80u32) }),
        (Actor::Producer, What::Enqueued { first: one, count: 3, priorities: Vec::new() }),
        (Actor::Producer, What::Enqueued { first: JobId(4), count: 2, priorities: vec![1, 0] }),
        (a, What::Connected { pid: 100 }),
        (a, What::PausedAt { point: Point::BeforeClaim }),
        (a, What::ResumedAt { point: Point::BeforeClaim }),
        (a, What::PollBegan { poll: 1 }),
        (a, What::Sent { statement: StatementId::Claim }),
        (a, What::Returned { statement: StatementId::Claim, rows: 1, refusal: None }),
        (a, What::Claimed { jobs: vec![claimed(one, 1, &[])] }),
        (b, What::Sent { statement: StatementId::NaiveUpdate }),
        (
            b,
            What::WaitBegan {
                wait: WaitFor::Tuple,
                job: Some(one),
                blocked_by: vec![stranger],
                place: 2,
                since: 11_500,
                lock: lock("tuple"),
            },
        ),
        (
            b,
            What::WaitMoved {
                wait: WaitFor::TransactionId,
                blocked_by: vec![a],
                place: 1,
                lock: lock("transactionid"),
            },
        ),
        (b, What::WaitEnded { us: 2_500 }),
        (b, What::Returned { statement: StatementId::NaiveUpdate, rows: 0, refusal: Some(nowait()) }),
        (b, What::RolledBack),
        (b, What::PauseBegan { reason: PauseReason::Backoff, us: 20_000 }),
        (b, What::ClaimEmpty { reason: EmptyReason::AllLocked }),
        (b, What::RaceLost { jobs: vec![one] }),
        (b, What::Claimed { jobs: vec![claimed(two, 1, &[one])] }),
        (a, What::WorkBegan { job: one, attempt: 1, delivery: 1, us: 800_000 }),
        (a, What::WorkEnded { job: one, delivery: 1, ok: true }),
        (a, What::Effect { job: one, effect: "mail".into(), delivery: 1, repeats: None }),
        (
            a,
            What::Effect {
                job: one,
                effect: "mail".into(),
                delivery: 2,
                repeats: Some(Cause { worker: WorkerId(1), delivery: 1 }),
            },
        ),
        (a, What::EffectSuppressed { job: one, effect: "cashback".into(), delivery: 2 }),
        (a, What::Acked { job: one }),
        (a, What::Committed),
        (b, What::StaleAck { job: two }),
        (b, What::Requeued { job: two, attempt: 1, delay_us: 200_000 }),
        (b, What::DeadLettered { job: two, attempt: 3 }),
        (b, What::Hung { job: two }),
        (b, What::SessionLost { refusal: lost() }),
        (b, What::Crashed { point: Point::InWork, jobs: vec![two] }),
        (b, What::Restarted),
        (
            Actor::Reaper,
            What::Reaped { job: two, owner: Some(WorkerId(2)), attempt: 1, age_us: 3_200_000, dead: false },
        ),
        (Actor::Heartbeat, What::Heartbeat { jobs: vec![one] }),
        (stranger, What::RowLocked { job: JobId(3), modes: vec!["For Update".into()], xid: "732".into() }),
        (stranger, What::RowReleased { job: JobId(3) }),
        (
            stranger,
            What::BackendSeen {
                orphan_of: Some(WorkerId(2)),
                application: "psql".into(),
                state: "idle in transaction".into(),
                query: "SELECT 1".into(),
            },
        ),
        (stranger, What::BackendGone),
        (
            stranger,
            What::BackendSeen {
                orphan_of: Some(WorkerId(2)),
                application: "rowlock run 7 worker-B".into(),
                state: "active".into(),
                query: "UPDATE jobs".into(),
            },
        ),
        (stranger, What::BackendGone),
        (
            Actor::Observer,
            What::Table {
                stats: TableStats {
                    live: 3,
                    dead: 2,
                    updated: 4,
                    hot_updated: 1,
                    heap_bytes: 8192,
                    index_bytes: 16384,
                    vacuums: 1,
                },
            },
        ),
        (Actor::Observer, What::ObserverCost { looks: 12, us: 3_400, period_us: 20_000 }),
        (Actor::Run, What::RunEnded { reason: EndReason::Quiescent, detail: String::new() }),
    ];
    let evidence = |what: &What| match what {
        What::WaitBegan { .. } | What::WaitMoved { .. } | What::WaitEnded { .. } => Evidence::Observed,
        What::RowLocked { .. }
        | What::RowReleased { .. }
        | What::BackendSeen { .. }
        | What::BackendGone
        | What::Table { .. } => Evidence::Observed,
        What::EffectSuppressed { .. } => Evidence::Simulated,
        _ => Evidence::Executed,
    };
    let numbered = told.into_iter().zip(1..);
    numbered.map(|((who, what), seq)| Event { seq, at: seq * 1000, who, evidence: evidence(&what), what }).collect()
}
