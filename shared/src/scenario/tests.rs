//! What a scenario must refuse, and what a seed must repeat.

use super::fate::*;
use super::*;
use crate::ids::JobId;
use proptest::prelude::*;
use serde_json::json;

fn first_error(value: serde_json::Value) -> KnobError {
    Scenario::from_value(&value).expect_err("refused").remove(0)
}

#[test]
fn an_empty_object_is_the_default() {
    assert_eq!(Scenario::from_value(&json!({})), Ok(Scenario::default()));
}

#[test]
fn every_preset_is_valid_and_has_its_own_name() {
    for (i, one) in PRESETS.iter().enumerate() {
        assert_eq!((one.scenario)().check(), Ok(()), "{}", one.id);
        assert!(PRESETS[..i].iter().all(|other| other.id != one.id), "{}", one.id);
    }
}

#[test]
fn an_error_names_field_value_and_bound() {
    let error = first_error(json!({"workers": 65}));
    assert_eq!(error.field, "workers");
    assert_eq!(error.value, "65");
    assert_eq!(error.problem, Problem::OutOfRange { min: "1".into(), max: "64".into() });
    assert!(matches!(first_error(json!({"workers": 2.5})).problem, Problem::NotWhole { .. }));
    assert!(matches!(first_error(json!({"workers": "many"})).problem, Problem::NotANumber { .. }));
    assert!(matches!(first_error(json!({"workers": -1})).problem, Problem::OutOfRange { .. }));
    assert!(matches!(first_error(json!({"mode": "hope"})).problem, Problem::NotAWord { .. }));
    assert!(matches!(first_error(json!({"reaper": 1})).problem, Problem::NotASwitch));
    assert!(matches!(first_error(json!({"wrokers": 5})).problem, Problem::UnknownField));
    assert!(matches!(first_error(json!([1])).problem, Problem::NotAnObject));
}

#[test]
fn all_errors_are_reported_at_once() {
    let errors = Scenario::from_value(&json!({"workers": 0, "jobs": 0, "nope": 1})).expect_err("refused");
    assert_eq!(errors.iter().map(|e| e.field.as_str()).collect::<Vec<_>>(), ["nope", "jobs", "workers"]);
}

#[test]
fn rules_between_fields() {
    let error = first_error(json!({"fail_probability": 0.6, "crash_probability": 0.6}));
    assert_eq!(error.problem, Problem::ProbabilitiesAboveOne);
    let error = first_error(json!({"arrival": "constant", "arrival_rate": 0.1, "jobs": 100}));
    assert_eq!(error.problem, Problem::ArrivesTooLate { last_ms: 1_000_000, limit_ms: 60_000 });
}

#[test]
fn every_bound_of_every_number_is_accepted_and_the_next_value_refused() {
    for knob in KNOBS {
        let set = |text: String| Scenario::default().with(knob.name, &text);
        match knob.kind {
            Kind::Whole { min, max, .. } => {
                assert!(set(min.to_string()).is_ok() && set(max.to_string()).is_ok(), "{}", knob.name);
                assert!(set((max + 1).to_string()).is_err(), "{}", knob.name);
                assert!(min == 0 || set((min - 1).to_string()).is_err(), "{}", knob.name);
            }
            Kind::Real { min, max, .. } => {
                assert!(set(min.to_string()).is_ok() && set(max.to_string()).is_ok(), "{}", knob.name);
                assert!(set((max + 0.1).to_string()).is_err() && set("NaN".into()).is_err(), "{}", knob.name);
            }
            Kind::Choice(words) => words.iter().for_each(|word| {
                assert_eq!(set((*word).to_owned()).expect(knob.name).text_of(knob.name), *word);
            }),
            Kind::Switch => assert!(set("on".into()).is_ok() && set("maybe".into()).is_err(), "{}", knob.name),
        }
    }
}

#[test]
fn time_scale_shrinks_durations_but_never_to_a_busy_loop() {
    let scenario = Scenario { time_scale: 60.0, ..Scenario::default() };
    assert_eq!(scenario.real_us(30_000.0), 500_000);
    assert_eq!(scenario.real_us(0.0), 0);
    let fastest = Scenario { time_scale: 1000.0, ..Scenario::default() };
    assert_eq!((fastest.real_us(0.0001), fastest.real_ms(0), fastest.real_ms(1)), (1, 0, 1));
}

proptest! {
    #[test]
    fn a_fate_does_not_depend_on_mode_workers_or_shape(seed in 0..MAX_SEED, job in 1u32..10_000, delivery in 1u32..50) {
        let base = Scenario {
            seed, work: WorkTime::Lognormal, fail_probability: 0.3, crash_probability: 0.3, crash_point: CrashPoint::Any,
            arrival: Arrival::Poisson, ..Scenario::default()
        };
        let other = Scenario { mode: Mode::Naive, workers: 64, shape: Shape::ClaimCommit, ..base.clone() };
        prop_assert_eq!(fate(&base, JobId(job), delivery), fate(&other, JobId(job), delivery));
        prop_assert_eq!(arrivals(&base), arrivals(&other));
    }

    #[test]
    fn a_scenario_survives_its_own_file(seed in 0..MAX_SEED, rate in 0.1f64..1000.0, workers in 1u32..=64) {
        let scenario = Scenario { seed, arrival_rate: rate, workers, ..Scenario::default() };
        let text = serde_json::to_string(&scenario).unwrap();
        prop_assert_eq!(Scenario::from_value(&serde_json::from_str(&text).unwrap()), Ok(scenario));
    }
}

#[test]
fn drawn_shares_and_means_are_the_asked_ones() {
    let scenario = Scenario {
        fail_probability: 0.2,
        hang_probability: 0.1,
        crash_probability: 0.3,
        work: WorkTime::Exponential,
        work_ms: 100,
        jobs: 10_000,
        arrival: Arrival::Poisson,
        arrival_rate: 1000.0,
        ..Scenario::default()
    };
    let fates: Vec<Fate> = (1..=10_000).map(|job| fate(&scenario, JobId(job), 1)).collect();
    let share = |wanted: fn(&Outcome) -> bool| fates.iter().filter(|f| wanted(&f.outcome)).count() as f64 / 10_000.0;
    assert!((share(|o| *o == Outcome::Fail) - 0.2).abs() < 0.02);
    assert!((share(|o| *o == Outcome::Hang) - 0.1).abs() < 0.02);
    assert!((share(|o| matches!(o, Outcome::Crash(_))) - 0.3).abs() < 0.02);
    let mean = fates.iter().map(|f| f.work_ms).sum::<f64>() / 10_000.0;
    assert!((mean - 100.0).abs() < 5.0, "{mean}");
    let last = *arrivals(&scenario).last().unwrap() as f64;
    assert!((last / 10_000_000.0 - 1.0).abs() < 0.05, "{last}");
}

#[test]
fn literal_values_pin_the_generator() {
    // The same numbers must come out natively and in the browser, today and next year.
    let scenario = Scenario { work: WorkTime::Uniform, arrival: Arrival::Poisson, ..Scenario::default() };
    let work: Vec<u64> = (1..=3).map(|job| (fate(&scenario, JobId(job), 1).work_ms * 1000.0) as u64).collect();
    assert_eq!((work, arrivals(&scenario)[..3].to_vec()), pinned());
}

fn pinned() -> (Vec<u64>, Vec<u64>) {
    (vec![946_139, 963_699, 929_913], vec![113_510, 137_358, 228_173])
}
