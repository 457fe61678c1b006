//! The queue program on an engine of its own, without PostgreSQL: a table in memory and a virtual clock. It shows that the
//! three seams are all that the program needs, and what holds for any engine.

mod database;
mod executor;
mod random;

use database::{FakeDatabase, Tables};
use executor::{Executor, VirtualClock};
use rowlock_shared::event::{EndReason, Event, Evidence, What};
use rowlock_shared::ids::{Actor, JobId, WorkerId};
use rowlock_shared::narrate;
use rowlock_shared::program::race::Bell;
use rowlock_shared::program::{self, Engine, Knobs, Passage, Point, Points, Run};
use rowlock_shared::scenario::fate::{Outcome, fate};
use rowlock_shared::scenario::{Arrival, CrashPoint, Fence, Scenario, Shape, WakeUp, WorkTime};
use rowlock_shared::text::Lang;
use rowlock_shared::world::World;
use std::cell::RefCell;
use std::future::{Future, pending, ready};
use std::rc::Rc;

struct Fake;

impl Engine for Fake {
    type Database = FakeDatabase;
    type Clock = VirtualClock;
    type Points = Open;
}

/// Nobody is held at any point, nobody is killed.
struct Open;

impl Points for Open {
    fn reached(&self, _who: Actor, _point: Point) -> impl Future<Output = Passage> {
        ready(Passage::Go)
    }

    fn killed(&self, _who: Actor) -> impl Future<Output = ()> {
        pending()
    }
}

/// A run that is over.
struct Played {
    scenario: Scenario,
    events: Vec<Event>,
    world: World,
    tables: Rc<RefCell<Tables>>,
}

fn play(scenario: Scenario) -> Played {
    assert_eq!(scenario.check(), Ok(()));
    let clock = VirtualClock::default();
    let database = FakeDatabase::new(clock.clone(), scenario.reaper_checks_attempts && scenario.dead_letter);
    let tables = database.tables.clone();
    let events = Rc::new(RefCell::new(Vec::new()));
    let log = events.clone();
    let sink = Box::new(move |event| log.borrow_mut().push(event));
    let run: Rc<Run<Fake>> =
        Run::new(Knobs::new(scenario.clone()), database, clock.clone(), Open, Evidence::Simulated, sink);
    run.tell(Actor::Run, What::RunBegan { scenario: Box::new(scenario.clone()), engine: "a table in memory".into() });
    let verdict = perform(&run, clock, &scenario);
    run.tell(Actor::Run, What::RunEnded { reason: verdict.0, detail: verdict.1 });
    let events = events.take();
    Played { world: World::fold(&events), scenario, events, tables }
}

/// Everyone takes the stage, a burst before the workers; returns how it ended.
fn perform(run: &Rc<Run<Fake>>, clock: VirtualClock, scenario: &Scenario) -> (EndReason, String) {
    let mut stage = Executor::new(clock);
    let verdict = Rc::new(RefCell::new(None));
    let doors = Rc::new(Bell::default());
    let burst = scenario.arrival == Arrival::Burst;
    {
        let (run, doors) = (run.clone(), doors.clone());
        stage.spawn(async move {
            if burst {
                program::producer(&run).await;
                doors.ring();
            } else {
                doors.ring();
                program::producer(&run).await;
            }
        });
    }
    for n in 1..=scenario.workers {
        let (run, doors) = (run.clone(), doors.clone());
        stage.spawn(async move {
            doors.after(0).await;
            program::worker(&run, WorkerId(n)).await;
        });
    }
    if scenario.reaper {
        let run = run.clone();
        stage.spawn(async move { program::reaper(&run).await });
    }
    if scenario.heartbeat && scenario.shape == Shape::ClaimCommit {
        let run = run.clone();
        stage.spawn(async move { program::heartbeat(&run).await });
    }
    if scenario.wake_up != WakeUp::Poll {
        let run = run.clone();
        stage.spawn(async move { program::listener(&run).await });
    }
    let (umpire, judged, end) = (run.clone(), run.clone(), verdict.clone());
    stage.spawn(async move { program::umpire(&umpire).await });
    stage.spawn(async move { *end.borrow_mut() = Some(judged.over().await) });
    stage.run_until(|| verdict.borrow().is_some());
    drop(stage);
    verdict.take().expect("it is over")
}

impl Played {
    fn ended(&self) -> EndReason {
        self.world.ended.as_ref().expect("it ended").0
    }

    fn jobs(&self) -> impl Iterator<Item = JobId> {
        (1..=self.scenario.jobs).map(JobId)
    }

    fn crashes(&self) -> u32 {
        self.world.counters.crashes
    }

    /// What must be true of any run: the world is the table's, each attempt had the fate that the seed holds for it, and
    /// every event can be told in both languages.
    fn must_be_sound(&self) {
        let (tables, summary) = (self.tables.borrow(), self.world.summary());
        let by_state = [summary.queued, summary.processing, summary.done, summary.failed];
        assert_eq!(by_state, ["queued", "processing", "done", "failed"].map(|status| tables.count(status)));
        assert_eq!(summary.effects as usize, tables.effects.len());
        assert_eq!(self.world.counters.two_holders, 0);
        for (id, row) in &tables.jobs {
            let job = self.world.job(JobId(*id as u32)).expect("every row is known");
            assert_eq!((job.attempts, job.owner), (row.attempts as u32, row.worker.as_deref().and_then(owner_of(row))));
        }
        let mut world = World::new();
        for (event, number) in self.events.iter().zip(1..) {
            assert_eq!(event.seq, number, "numbers have no gaps");
            assert!(event.at >= world.at, "time does not run back");
            self.had_its_fate(event);
            if let Some(line) = narrate::line(event, &world) {
                for lang in Lang::ALL {
                    let said = line.message.say(lang);
                    assert!(!said.contains(['{', '$']) && !said.contains("Unknown localization"), "{said}");
                }
            }
            world.apply(event);
        }
    }

    fn had_its_fate(&self, event: &Event) {
        match &event.what {
            What::WorkBegan { job, delivery, us, .. } => {
                assert_eq!(*us, self.scenario.real_us(fate(&self.scenario, *job, *delivery).work_ms));
            }
            What::WorkEnded { job, delivery, ok } => {
                let outcome = fate(&self.scenario, *job, *delivery).outcome;
                assert_eq!(*ok, outcome != Outcome::Fail);
                assert!(!matches!(outcome, Outcome::Hang | Outcome::Crash(CrashPoint::InWork)), "{job} {delivery}");
            }
            _ => {}
        }
    }
}

/// The table keeps the last worker's name after the ack; the world knows an owner only while the job is in processing.
fn owner_of(row: &database::Row) -> impl Fn(&str) -> Option<WorkerId> {
    let processing = row.status == "processing";
    move |name| WorkerId::from_name(name).filter(|_| processing)
}

fn quick() -> Scenario {
    Scenario { jobs: 40, work: WorkTime::Exponential, work_ms: 50, ..Scenario::default() }
}

#[test]
fn every_job_is_done_exactly_once() {
    for shape in [Shape::Hold, Shape::ClaimCommit] {
        for batch in [1, 3] {
            let played = play(Scenario { shape, batch, ..quick() });
            played.must_be_sound();
            assert_eq!(played.ended(), EndReason::Quiescent);
            let summary = played.world.summary();
            assert_eq!((summary.done, summary.duplicates, summary.ran_again), (40, 0, 0));
            assert!(played.jobs().all(|job| played.tables.borrow().effects_of(job) == 1));
            assert!(shape == Shape::ClaimCommit || summary.skips > Some(0), "locked rows were passed over");
        }
    }
}

#[test]
fn a_crash_with_work_in_the_transaction_rolls_back_by_itself() {
    let played = play(Scenario { crash_probability: 0.3, restart_delay_ms: 100, ..quick() });
    played.must_be_sound();
    let summary = played.world.summary();
    assert_eq!((played.ended(), summary.done, summary.duplicates), (EndReason::Quiescent, 40, 0));
    assert!(played.crashes() > 0);
}

#[test]
fn a_crash_after_the_commit_needs_the_reaper() {
    let scenario = Scenario {
        shape: Shape::ClaimCommit,
        crash_probability: 0.3,
        restart_delay_ms: 100,
        max_attempts: 100,
        lease_ms: 1000,
        ..quick()
    };
    let lost = play(scenario.clone());
    lost.must_be_sound();
    let summary = lost.world.summary();
    assert_eq!((lost.ended(), summary.processing), (EndReason::Quiescent, lost.crashes()));
    assert_eq!(summary.done + summary.processing, 40);

    let rescued = play(Scenario { reaper: true, ..scenario.clone() });
    rescued.must_be_sound();
    let summary = rescued.world.summary();
    assert_eq!((rescued.ended(), summary.done, summary.duplicates), (EndReason::Quiescent, 40, 0));
    assert!(rescued.crashes() > 0);
    assert_eq!(summary.reaped, rescued.crashes());

    // After the effect and before the ack: rescued and done, and the customer hears of it twice.
    let scenario = Scenario { reaper: true, crash_point: CrashPoint::AfterEffect, ..scenario };
    let twice = play(scenario.clone());
    twice.must_be_sound();
    let summary = twice.world.summary();
    assert_eq!((summary.done, summary.duplicates), (40, twice.crashes()));
    let once = play(Scenario { idempotency_key: true, ..scenario });
    once.must_be_sound();
    let summary = once.world.summary();
    assert_eq!((summary.done, summary.duplicates, summary.suppressed), (40, 0, once.crashes()));
}

#[test]
fn a_lease_shorter_than_the_work_is_harm_that_fence_and_heartbeat_mend() {
    let scenario = Scenario {
        shape: Shape::ClaimCommit,
        work: WorkTime::Lognormal,
        work_sigma: 1.0,
        work_ms: 400,
        reaper: true,
        lease_ms: 500,
        reaper_period_ms: 50,
        max_attempts: 100,
        ..quick()
    };
    let bare = play(scenario.clone());
    bare.must_be_sound();
    assert!(bare.world.summary().duplicates > 0);
    let fenced = play(Scenario { fence: Fence::OwnerAttempt, ..scenario.clone() });
    fenced.must_be_sound();
    let summary = fenced.world.summary();
    assert!(summary.stale_acks > 0 && fenced.world.counters.acks == 40, "each job is acked once");
    let beating = play(Scenario { heartbeat: true, heartbeat_period_ms: 100, ..scenario });
    beating.must_be_sound();
    let summary = beating.world.summary();
    assert_eq!((summary.done, summary.reaped, summary.duplicates), (40, 0, 0));
    assert!(beating.world.counters.heartbeats > 0);
}

#[test]
fn failures_are_retried_and_then_given_up() {
    let played = play(Scenario { shape: Shape::ClaimCommit, fail_probability: 0.5, ..quick() });
    played.must_be_sound();
    let summary = played.world.summary();
    assert_eq!((played.ended(), summary.done + summary.failed), (EndReason::Quiescent, 40));
    let given_up =
        |job: &JobId| (1..=3).all(|delivery| fate(&played.scenario, *job, delivery).outcome == Outcome::Fail);
    assert_eq!(summary.failed as usize, played.jobs().filter(given_up).count(), "the seed knew it");
}

#[test]
fn hung_workers_end_in_rest() {
    let some = play(Scenario { hang_probability: 0.05, ..quick() });
    some.must_be_sound();
    let summary = some.world.summary();
    assert_eq!(some.ended(), EndReason::Quiescent);
    assert!((1..5).contains(&summary.hangs), "{}", summary.hangs);
    assert_eq!(summary.queued, summary.hangs, "each keeps a row, queued for all others");
    let all = play(Scenario { hang_probability: 1.0, ..quick() });
    all.must_be_sound();
    let summary = all.world.summary();
    assert_eq!((all.ended(), summary.hangs, summary.queued), (EndReason::Quiescent, 5, 40));
}

#[test]
fn notify_alone_is_enough_where_nothing_comes_back() {
    let scenario = Scenario { arrival: Arrival::Poisson, arrival_rate: 50.0, wake_up: WakeUp::Notify, ..quick() };
    let played = play(scenario);
    played.must_be_sound();
    let summary = played.world.summary();
    assert_eq!((played.ended(), summary.done), (EndReason::Quiescent, 40));
}

#[test]
fn the_time_limit_ends_what_would_go_on() {
    let played = play(Scenario { time_limit_ms: 200, work_ms: 10_000, ..quick() });
    played.must_be_sound();
    assert_eq!((played.ended(), played.world.at), (EndReason::TimeLimit, 200_000));
}
