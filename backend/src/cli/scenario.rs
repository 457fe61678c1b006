//! The scenario of `rowlock run`, from a preset or a file and `--set`.

use super::args::Run;
use super::failure::Failure;
use rowlock_shared::scenario::{KnobError, PRESETS, Scenario, preset};
use rowlock_shared::text::Message;
use std::io::Read;
use std::path::Path;

/// Puts it together.
///
/// # Errors
/// All that is wrong at once: the preset or file, every knob that is set wrongly, then what is wrong between knobs.
pub(super) fn read(options: &Run) -> Result<Scenario, Failure> {
    let mut scenario = match (&options.preset, &options.scenario) {
        (Some(name), _) => from_preset(name)?,
        (None, Some(file)) => from_file(file)?,
        (None, None) => Scenario::default(),
    };
    let mut wrong = Vec::new();
    for setting in &options.set {
        let Some((knob, value)) = setting.split_once('=') else {
            wrong.push(Message::new("cli-bad-setting").with("setting", setting.as_str()));
            continue;
        };
        // The page and the catalogue write dashes where a field has underscores; both are understood.
        match scenario.with(&knob.trim().replace('-', "_"), value) {
            Ok(changed) => scenario = changed,
            Err(error) => wrong.push(KnobError::message(&error)),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::Usage(wrong));
    }
    scenario.check()?;
    Ok(scenario)
}

fn from_preset(name: &str) -> Result<Scenario, Failure> {
    let names = || PRESETS.iter().map(|preset| preset.id).collect::<Vec<_>>().join(", ");
    let unknown = || Failure::usage(Message::new("cli-no-such-preset").with("name", name).with("names", names()));
    preset(name).ok_or_else(unknown)
}

fn from_file(file: &Path) -> Result<Scenario, Failure> {
    let cannot = |error: &dyn std::fmt::Display| {
        let message = Message::new("cli-unreadable-scenario").with("file", file.display().to_string());
        Failure::usage(message.with("why", error.to_string()))
    };
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).map_err(|error| cannot(&error))?;
    } else {
        text = std::fs::read_to_string(file).map_err(|error| cannot(&error))?;
    }
    let value = serde_json::from_str(&text).map_err(|error| cannot(&error))?;
    Ok(Scenario::from_value(&value)?)
}
