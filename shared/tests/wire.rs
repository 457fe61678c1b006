//! The messages between page and server as files: a change of the wire is a change of these files, seen in review.
//!
//! `ROWLOCK_BLESS=1 cargo test -p rowlock-shared --test wire` writes them anew.

mod samples;

use rowlock_shared::event::Event;
use rowlock_shared::scenario::KnobError;
use rowlock_shared::text::Lang;
use rowlock_shared::wire::{self, FromViewer, Intervention};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Compares with the file, or writes it where that is asked for; returns the file's text.
#[track_caller]
fn golden(name: &str, text: String) -> String {
    if std::env::var_os("ROWLOCK_BLESS").is_some() {
        std::fs::write(file(name), &text).expect("the folder can be written");
    }
    let kept = std::fs::read_to_string(file(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(text, kept, "{name} differs: look at the change, then run with ROWLOCK_BLESS=1");
    kept
}

/// The sample is what the file says, and the file reads back as the sample.
#[track_caller]
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug>(name: &str, sample: &T) {
    let text = serde_json::to_string_pretty(sample).expect("JSON") + "\n";
    let kept = golden(&format!("{name}.json"), text);
    assert_eq!(&serde_json::from_str::<T>(&kept).expect("it reads back"), sample, "{name}");
}

#[test]
fn from_the_server_to_a_viewer() {
    for (name, message) in samples::to_viewer() {
        same(&format!("to-viewer-{name}"), &message);
    }
}

#[test]
fn from_a_viewer_to_the_server() {
    same("from-viewer-ping", &FromViewer::Ping { nonce: (1 << 53) + 1 });
    same("from-viewer-resync", &FromViewer::Resync);
}

#[test]
fn interventions() {
    for (name, message) in samples::interventions() {
        same(&format!("intervention-{name}"), &message);
    }
}

#[test]
fn answers() {
    same("server-info", &samples::server_info());
    same("preset-info", &samples::preset_info());
    same("check-answer", &samples::check_answer());
    same("run-info", &samples::run_info());
    same("summary", &samples::summary());
    for (name, error) in samples::errors() {
        same(&format!("api-error-{name}"), &error);
        for message in std::iter::once(error.message).chain(error.knobs.iter().map(KnobError::message)) {
            for lang in Lang::ALL {
                let said = message.say(lang);
                assert!(!said.contains("Unknown localization") && !said.contains('$'), "{name}: {said}");
            }
        }
    }
}

#[test]
fn every_event_is_a_line() {
    let events = samples::events();
    let text: String = events.iter().map(|event| serde_json::to_string(event).expect("JSON") + "\n").collect();
    let kept = golden("events.jsonl", text);
    let back: Vec<Event> = kept.lines().map(|line| serde_json::from_str(line).expect("it reads back")).collect();
    assert_eq!(back, events);
    for event in &events {
        let value = serde_json::to_value(event).expect("JSON");
        assert_eq!(value["what"]["kind"], samples::kind(&event.what));
    }
    let mut kinds: Vec<&str> = events.iter().map(|event| samples::kind(&event.what)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), samples::KINDS, "a sample of every kind");
}

#[test]
fn what_is_not_known_is_refused_by_the_server_and_names_the_field() {
    let refused = |text: &str| serde_json::from_str::<Intervention>(text).expect_err("refused").to_string();
    assert!(refused(r#"{"do":"step","worker":1,"hard":true}"#).contains("hard"));
    assert!(refused(r#"{"do":"dance"}"#).contains("dance"));
    assert!(refused(r#"{"do":"step"}"#).contains("worker"));
    let refused = |text: &str| serde_json::from_str::<FromViewer>(text).expect_err("refused").to_string();
    assert!(refused(r#"{"type":"pong"}"#).contains("pong"));
    assert!(refused(r#"{"type":"ping"}"#).contains("nonce"));
}

#[test]
fn the_version_is_the_one_that_the_files_were_made_with() {
    assert_eq!(wire::VERSION, 1, "a change of the wire that an older page cannot read needs a new version");
}
