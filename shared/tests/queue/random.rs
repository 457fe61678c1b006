//! Random scenarios.

use super::*;
use proptest::prelude::*;

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let fates = (0.0f64..0.3, 0.0f64..0.3, 0.0f64..0.1);
    let point = prop::sample::select(vec![
        CrashPoint::BeforeClaim,
        CrashPoint::AfterClaim,
        CrashPoint::BeforeWork,
        CrashPoint::InWork,
        CrashPoint::AfterEffect,
        CrashPoint::AfterAck,
        CrashPoint::Any,
    ]);
    let fence = prop::sample::select(vec![Fence::Off, Fence::Owner, Fence::OwnerAttempt]);
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (0u64..1000, 1u32..8, 1u32..30, 1u32..4, fates, point, fence, switches).prop_map(
        |(seed, workers, jobs, batch, (fail, crash, hang), crash_point, fence, (hold, reaper, heartbeat, key))| {
            Scenario {
                seed,
                workers,
                jobs,
                batch,
                shape: if hold { Shape::Hold } else { Shape::ClaimCommit },
                fail_probability: fail,
                crash_probability: crash,
                hang_probability: hang,
                crash_point,
                fence,
                reaper,
                heartbeat,
                idempotency_key: key,
                effects: 2,
                lease_ms: 300,
                restart_delay_ms: 50,
                ..quick()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_scenario_gives_the_same_events(scenario in any_scenario()) {
        let (first, second) = (play(scenario.clone()), play(scenario));
        let log = |played: &Played| serde_json::to_string(&played.events).expect("events are JSON");
        prop_assert_eq!(log(&first), log(&second));
        first.must_be_sound();
    }

    #[test]
    fn no_job_is_lost(scenario in any_scenario()) {
        let played = play(scenario);
        let summary = played.world.summary();
        prop_assert_eq!(summary.queued + summary.processing + summary.done + summary.failed, played.scenario.jobs);
        prop_assert!(played.jobs().all(|job| {
            let done = played.world.job(job).is_some_and(|job| job.state == rowlock_shared::world::JobState::Done);
            !done || played.tables.borrow().effects_of(job) >= 2
        }), "what is done has had its effects");
    }
}
