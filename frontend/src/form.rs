//! The form: a text for each knob, checked by the same functions as on the server.

use rowlock_shared::scenario::{Arrival, KNOBS, Knob, KnobError, Mode, PRESETS, Scenario, WorkTime};
use std::collections::BTreeMap;

/// What the fields say, whether or not it makes sense yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Form {
    texts: BTreeMap<&'static str, String>,
    /// The scenario that *reset* goes back to: the preset or the file that was opened last.
    base: Scenario,
    /// The preset that it began with; none after a file with a scenario of its own.
    pub(crate) preset: Option<&'static str>,
}

impl Default for Form {
    fn default() -> Form {
        Form::of_preset(PRESETS[0].id).unwrap_or_else(|| Form::of(Scenario::default()))
    }
}

impl Form {
    /// The form that says this scenario, which may be a preset's.
    pub(crate) fn of(scenario: Scenario) -> Form {
        let texts = KNOBS.iter().map(|knob| (knob.name, scenario.text_of(knob.name))).collect();
        let preset = PRESETS.iter().find(|preset| (preset.scenario)() == scenario).map(|preset| preset.id);
        Form { texts, base: scenario, preset }
    }

    /// The form of a preset, if there is one of this name.
    pub(crate) fn of_preset(id: &str) -> Option<Form> {
        let preset = PRESETS.iter().find(|preset| preset.id == id)?;
        Some(Form::of((preset.scenario)()))
    }

    /// The form back at its preset or file.
    pub(crate) fn reset(&self) -> Form {
        Form::of(self.base.clone())
    }

    /// What a field says.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// Writes into a field.
    pub(crate) fn set(&mut self, name: &str, text: String) {
        if let Some(knob) = Knob::named(name) {
            self.texts.insert(knob.name, text);
        }
    }

    /// Whether a field differs from the preset or file.
    pub(crate) fn is_changed(&self, name: &str) -> bool {
        self.text(name) != self.base.text_of(name)
    }

    /// Whether any does.
    pub(crate) fn is_dirty(&self) -> bool {
        KNOBS.iter().any(|knob| self.is_changed(knob.name))
    }

    /// The scenario that the fields say.
    ///
    /// # Errors
    /// Every field that is wrong; only if none is, what is wrong between fields.
    pub(crate) fn scenario(&self) -> Result<Scenario, Vec<KnobError>> {
        let (scenario, errors) = self.read();
        if !errors.is_empty() {
            return Err(errors);
        }
        scenario.check()?;
        Ok(scenario)
    }

    /// The scenario with every field that can be read, for what only needs the gist (such as which knobs matter now).
    pub(crate) fn gist(&self) -> Scenario {
        self.read().0
    }

    fn read(&self) -> (Scenario, Vec<KnobError>) {
        let mut scenario = self.base.clone();
        let mut errors = Vec::new();
        for knob in KNOBS {
            match scenario.with(knob.name, self.text(knob.name)) {
                Ok(next) => scenario = next,
                Err(error) => errors.push(error),
            }
        }
        (scenario, errors)
    }
}

/// Whether a knob changes anything while the others stand as they do.
pub(crate) fn matters(knob: &str, s: &Scenario) -> bool {
    let fails = s.fail_probability > 0.0;
    let crashes = s.crash_probability > 0.0;
    match knob {
        "arrival_rate" => s.arrival != Arrival::Burst,
        "lock_strength" => matches!(s.mode, Mode::ForUpdate | Mode::SkipLocked | Mode::Nowait),
        "lease_ms" | "reaper_period_ms" | "reaper_checks_attempts" => s.reaper,
        "heartbeat_period_ms" => s.heartbeat,
        "work_spread_percent" => s.work == WorkTime::Uniform,
        "work_sigma" => s.work == WorkTime::Lognormal,
        "retry_backoff" | "retry_backoff_ms" | "retry_jitter_percent" => fails,
        "crash_point" => crashes,
        "observer_period_ms" => s.observer,
        _ => true,
    }
}

/// The knobs in which a scenario differs from the default one, with their values.
pub(crate) fn differences(scenario: &Scenario) -> Vec<(&'static str, String)> {
    let (fields, usual) = (scenario.fields(), Scenario::default().fields());
    KNOBS
        .iter()
        .filter(|knob| knob.name != "mode" && fields.get(knob.name) != usual.get(knob.name))
        .map(|knob| (knob.name, scenario.text_of(knob.name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn every_preset_fills_a_form_that_reads_back() {
        for preset in PRESETS {
            let form = Form::of_preset(preset.id).expect("a listed preset");
            assert_eq!(form.scenario(), Ok((preset.scenario)()), "{}", preset.id);
            assert!(!form.is_dirty(), "{}", preset.id);
        }
    }

    #[wasm_bindgen_test]
    fn a_wrong_field_is_named_and_nothing_else_is_lost() {
        let mut form = Form::default();
        form.set("workers", "65".into());
        form.set("jobs", "a few".into());
        form.set("seed", "7".into());
        let fields: Vec<String> = form.scenario().expect_err("two wrong fields").into_iter().map(|e| e.field).collect();
        assert_eq!(fields, ["jobs", "workers"]);
        assert_eq!(form.text("jobs"), "a few");
        assert_eq!(form.gist().seed, 7);
        form = form.reset();
        assert_eq!(form.scenario(), Ok(Scenario::default()));
    }

    #[wasm_bindgen_test]
    fn rules_between_fields_are_checked_too() {
        let mut form = Form::default();
        form.set("fail_probability", "0.7".into());
        form.set("crash_probability", "0.7".into());
        assert_eq!(form.scenario().expect_err("likelier than 1")[0].field, "crash_probability");
    }

    #[wasm_bindgen_test]
    fn an_unknown_field_is_not_kept() {
        let mut form = Form::default();
        form.set("colour", "red".into());
        assert_eq!(form, Form::default());
    }

    #[wasm_bindgen_test]
    fn knobs_without_effect_are_known() {
        let shop = Scenario::default();
        assert!(!matters("arrival_rate", &shop));
        assert!(matters("arrival_rate", &Scenario { arrival: Arrival::Poisson, ..shop.clone() }));
        assert!(differences(&shop).is_empty());
        assert_eq!(differences(&Scenario { jobs: 7, ..shop }), [("jobs", "7".to_owned())]);
    }
}
