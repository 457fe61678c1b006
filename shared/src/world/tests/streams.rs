//! Random streams: sessions keep their own order, and that is all that is certain.

use super::*;
use crate::wire::{RunId, ToViewer, VERSION};
use proptest::prelude::*;

/// How a round of a worker ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Ack,
    Retry,
    GiveUp,
    Stale,
    Refused,
    Crash,
    Lost,
    Hang,
}

/// A round of one worker: what it claims and how it ends.
#[derive(Debug, Clone)]
struct Round {
    worker: u32,
    jobs: Vec<u32>,
    waits_for: Option<(u32, u32)>,
    commits_first: bool,
    end: End,
}

fn round() -> impl Strategy<Value = Round> {
    let end = prop::sample::select(vec![
        End::Ack,
        End::Ack,
        End::Retry,
        End::GiveUp,
        End::Stale,
        End::Refused,
        End::Crash,
        End::Lost,
        End::Hang,
    ]);
    let waits = prop::option::of((1u32..12, 1u32..4));
    (1u32..5, prop::collection::vec(1u32..12, 1..3), waits, any::<bool>(), end)
        .prop_map(|(worker, jobs, waits_for, commits_first, end)| Round { worker, jobs, waits_for, commits_first, end })
}

type Told = (Actor, What);

fn statement(told: &mut Vec<Told>, who: Actor, statement: StatementId) {
    told.push((who, What::Sent { statement }));
    told.push((who, What::Returned { statement, rows: 1, refusal: None }));
}

/// What a round's worker tells, and what the observer tells of it: two streams.
fn tell(round: &Round, delivery: u32) -> (Vec<Told>, Vec<Told>) {
    let who = Actor::Worker(WorkerId(round.worker));
    let (mut own, mut seen) = (Vec::new(), Vec::new());
    own.push((who, What::PollBegan { poll: delivery }));
    statement(&mut own, who, StatementId::Begin);
    if let Some((job, place)) = round.waits_for {
        seen.push((who, wait(Some(job), &[A], place)));
        seen.push((who, What::WaitEnded { us: 400 }));
    }
    statement(&mut own, who, StatementId::Claim);
    own.push((who, What::Claimed { jobs: round.jobs.iter().map(|id| claimed(*id, delivery, &[id + 1])).collect() }));
    let commit = |own: &mut Vec<Told>| {
        statement(own, who, StatementId::Commit);
        own.push((who, What::Committed));
    };
    if round.commits_first {
        commit(&mut own);
    }
    for job in round.jobs.iter().copied().map(JobId) {
        seen.push((who, What::RowLocked { job, modes: vec!["For Update".into()], xid: "7".into() }));
        own.push((who, What::WorkBegan { job, attempt: delivery, delivery, us: 100 }));
        let ok = !matches!(round.end, End::Retry | End::GiveUp);
        if !matches!(round.end, End::Crash | End::Hang) {
            own.push((who, What::WorkEnded { job, delivery, ok }));
        }
        match round.end {
            End::Ack => {
                let repeats = (delivery > 1).then_some(Cause { worker: WorkerId(1), delivery: 1 });
                own.push((who, What::Effect { job, effect: "mail".into(), delivery, repeats }));
                own.push((who, What::Acked { job }));
            }
            End::Retry => own.push((who, What::Requeued { job, attempt: delivery, delay_us: 500 })),
            End::GiveUp => own.push((who, What::DeadLettered { job, attempt: delivery })),
            End::Stale => own.push((who, What::StaleAck { job })),
            End::Refused | End::Crash | End::Lost | End::Hang => {}
        }
        seen.push((who, What::RowReleased { job }));
    }
    let jobs: Vec<JobId> = round.jobs.iter().copied().map(JobId).collect();
    match round.end {
        End::Ack | End::Retry | End::GiveUp | End::Stale => commit(&mut own),
        End::Refused => {
            own.push((
                who,
                What::Returned {
                    statement: StatementId::Ack,
                    rows: 0,
                    refusal: Some(refusal(RefusalKind::Serialization)),
                },
            ));
            statement(&mut own, who, StatementId::Rollback);
            own.push((who, What::RolledBack));
        }
        End::Crash => {
            own.push((who, What::Crashed { point: Point::InWork, jobs }));
            own.push((who, What::Restarted));
            own.push((who, What::Connected { pid: 1000 }));
        }
        End::Lost => {
            own.push((who, What::SessionLost { refusal: refusal(RefusalKind::ConnectionLost) }));
            own.push((who, What::Connected { pid: 1001 }));
        }
        End::Hang => own.push((who, What::Hung { job: jobs[0] })),
    }
    (own, seen)
}

/// A run of these rounds, the streams woven together as `picks` say.
fn run(rounds: &[Round], picks: &[prop::sample::Index]) -> Vec<Event> {
    let mut streams: Vec<std::collections::VecDeque<Told>> = vec![Default::default(); 10];
    for (round, delivery) in rounds.iter().zip(1..) {
        let (own, seen) = tell(round, delivery);
        streams[round.worker as usize].extend(own);
        streams[4 + round.worker as usize].extend(seen);
        let (owner, job) = (Some(WorkerId(round.worker)), JobId(round.jobs[0]));
        let dead = delivery % 3 == 0;
        streams[0].push_back((Actor::Reaper, What::Reaped { job, owner, attempt: delivery, age_us: 9, dead }));
        let stranger = Actor::Stranger { pid: 7 };
        streams[9].push_back((stranger, wait(Some(job.0), &[A], 1)));
        streams[9].push_back((stranger, What::WaitEnded { us: 3 }));
        streams[9].push_back((stranger, What::RowLocked { job, modes: Vec::new(), xid: "9".into() }));
        if delivery % 2 == 0 {
            streams[9].push_back((stranger, What::RowReleased { job }));
        }
        if delivery % 4 == 0 {
            streams[9].push_back((stranger, What::BackendGone));
        }
    }
    let mut script = shop(Shape::ClaimCommit);
    for pick in picks.iter().cycle() {
        streams.retain(|stream| !stream.is_empty());
        let Some((who, what)) = (!streams.is_empty()).then(|| pick.get_mut(&mut streams).pop_front()).flatten() else {
            break;
        };
        script.tell(who, what);
    }
    script.events
}

fn must_hold(world: &World) {
    let of = |state| world.jobs.iter().filter(|job| job.state == state).count() as u32;
    for state in [JobState::Queued, JobState::Processing, JobState::Done, JobState::Failed] {
        assert_eq!(world.count(state), of(state), "jobs that are {state:?}");
    }
    assert_eq!(world.states.values().sum::<u32>() as usize, world.jobs.len());
    for job in &world.jobs {
        for (place, who) in job.queue.iter().enumerate() {
            assert!(!job.queue[..place].contains(who), "{who:?} stands twice in the line of {}", job.id);
            let wait = world.session(*who).and_then(|session| session.wait.as_ref());
            assert_eq!(wait.and_then(|wait| wait.job), Some(job.id), "{who:?} waits for what it stands in line for");
        }
        if let Some(holder) = &job.holder {
            assert!(world.session(holder.who).is_some_and(|session| session.holds.contains(&job.id)), "{}", job.id);
        }
    }
    let workers = world.workers.iter().map(|worker| (Actor::Worker(worker.id), &worker.session));
    for (who, session) in workers.chain(world.others.iter().map(|(key, session)| (key.0, session))) {
        for id in &session.holds {
            let holder = world.job(*id).and_then(|job| job.holder.as_ref());
            assert_eq!(holder.map(|holder| holder.who), Some(who), "{who:?} thinks that it holds {id}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_picture_stays_consistent_whatever_is_read_first(
        rounds in prop::collection::vec(round(), 1..12),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..300),
    ) {
        let mut world = World::new();
        for event in &run(&rounds, &picks) {
            // Whatever can be folded can be told.
            if let Some(line) = crate::narrate::line(event, &world) {
                let said = line.message.say(crate::text::Lang::Ru);
                prop_assert!(!said.contains(['{', '$']) && !said.starts_with("Unknown"), "{}", said);
            }
            world.apply(event);
            must_hold(&world);
        }
    }

    #[test]
    fn a_snapshot_is_as_good_as_the_events_before_it(
        rounds in prop::collection::vec(round(), 1..12),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..300),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = run(&rounds, &picks);
        let (before, after) = events.split_at(cut.index(events.len()));
        let whole = World::fold(&events);
        let snapshot = World::fold(before);
        let message = ToViewer::Snapshot {
            version: VERSION, run: RunId(1), world: Box::new(snapshot.clone()), recent: Vec::new(), dropped: 0,
        };
        let text = serde_json::to_string(&message).unwrap();
        let ToViewer::Snapshot { mut world, .. } = serde_json::from_str(&text).unwrap() else { panic!("a snapshot") };
        prop_assert_eq!(&*world, &snapshot);
        after.iter().for_each(|event| world.apply(event));
        prop_assert_eq!(&*world, &whole);
    }
}

#[test]
fn numbers_beyond_doubles_and_odd_names_survive_a_snapshot() {
    let mut s = shop(Shape::Hold);
    let huge = (1u64 << 53) + 1;
    s.tell(Actor::Stranger { pid: -7 }, wait(Some(1), &[Actor::Stranger { pid: 12 }], 1));
    let event = Event { at: huge, seq: huge, ..s.next(A, What::WaitEnded { us: huge }) };
    s.world.apply(&event);
    s.world.ended = Some((EndReason::Failed, "\u{2028}\"quoted\"".into()));
    let text = serde_json::to_string(&s.world).unwrap();
    let back: World = serde_json::from_str(&text).unwrap();
    assert_eq!((back.seq, back.at, back.counters.waited_us), (huge, huge, huge));
    assert_eq!(back, s.world);
}
