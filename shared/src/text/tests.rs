//! The catalogue is complete: the same keys with the same arguments in every language, and every key that code asks for.

use super::*;
use crate::scenario::{KNOBS, Kind, PRESETS};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Key -> names of its arguments, from the files of one language.
fn catalogue(lang: Lang) -> BTreeMap<String, BTreeSet<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales").join(lang.code());
    let mut keys = BTreeMap::<String, BTreeSet<String>>::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let mut current = None;
        for line in text.lines() {
            let starts_key = line.starts_with(|c: char| c.is_ascii_lowercase());
            if let Some((key, _)) = line.split_once(" =").filter(|_| starts_key) {
                assert!(!keys.contains_key(key), "{}: {key} stands twice", lang.code());
                keys.insert(key.to_owned(), BTreeSet::new());
                current = Some(key.to_owned());
            }
            if let Some(args) = current.as_ref().and_then(|key| keys.get_mut(key)) {
                for part in line.split('$').skip(1) {
                    args.insert(part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect());
                }
            }
        }
    }
    keys
}

#[test]
fn both_languages_have_the_same_keys_and_arguments() {
    let (en, ru) = (catalogue(Lang::En), catalogue(Lang::Ru));
    let (left, right): (BTreeSet<_>, BTreeSet<_>) = (en.keys().collect(), ru.keys().collect());
    assert_eq!(left.symmetric_difference(&right).collect::<Vec<_>>(), Vec::<&&String>::new(), "only in one language");
    for (key, args) in &en {
        assert_eq!(args, &ru[key], "arguments of {key}");
        let full = args.iter().fold(Message::new(key.clone()), |mut message, arg| {
            message.args.push((arg.clone().into(), Arg::Number(2.0)));
            message
        });
        for lang in Lang::ALL {
            let text = LOCALES.lookup_single_language(&lang.id(), key, Some(&full.arguments(lang)));
            let text = text.unwrap_or_else(|error| panic!("{}: {key}: {error}", lang.code()));
            // The one message that shows a JSON object has braces of its own.
            assert!(!text.contains('$') && (key == "error-knob-not-object" || !text.contains('{')), "{key}: {text}");
        }
    }
}

#[test]
fn every_knob_word_and_preset_has_its_text() {
    let keys = catalogue(Lang::En);
    for knob in KNOBS {
        let name = knob.name.replace('_', "-");
        assert!(keys.contains_key(&format!("knob-{name}")), "knob-{name}");
        assert!(keys.contains_key(&format!("knob-{name}-about")), "knob-{name}-about");
        if let Kind::Choice(words) = knob.kind {
            for word in words {
                let key = word_key(knob.name, word);
                assert!(keys.contains_key(&key), "{key}");
            }
        }
    }
    for preset in PRESETS {
        assert!(keys.contains_key(&format!("preset-{}", preset.id)), "preset-{}", preset.id);
        assert!(keys.contains_key(&format!("preset-{}-about", preset.id)), "preset-{}-about", preset.id);
    }
}

/// Every `say(…, "key")`, `Message::new("key")` and `m("key")` in the sources of all crates names a key that exists.
#[test]
fn every_key_that_the_sources_name_exists() {
    let keys = catalogue(Lang::En);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
    let mut missing = Vec::new();
    let mut found = 0;
    for crate_name in ["shared", "backend", "frontend"] {
        let mut folders = vec![root.join(crate_name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("text/tests.rs") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    for opening in ["Message::new(\"", "m(\"", "t(\"", "say(lang, \"", "say(*lang, \""] {
                        for (at, _) in text.match_indices(opening) {
                            let key: String = text[at + opening.len()..].chars().take_while(|c| *c != '"').collect();
                            let before = text[..at].chars().next_back();
                            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') || key.contains('{') {
                                continue;
                            }
                            found += 1;
                            if !keys.contains_key(&key) {
                                missing.push(format!("{key} ({})", path.display()));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(found > 5, "the search itself is broken");
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_problem_of_a_knob_and_every_word_of_the_world_has_its_text() {
    use crate::event::{EmptyReason, EndReason, Evidence, RefusalKind, WaitFor};
    use crate::program::Point;
    use crate::world::JobState;
    let keys = catalogue(Lang::En);
    let word = |value: serde_json::Value| value.as_str().expect("a word").to_owned();
    let json = |value: Result<serde_json::Value, serde_json::Error>| word(value.unwrap());
    let mut wanted: Vec<String> = Vec::new();
    for state in [JobState::Queued, JobState::Processing, JobState::Done, JobState::Failed] {
        wanted.push(format!("state-{}", json(serde_json::to_value(state))));
    }
    for reason in [
        EmptyReason::QueueEmpty,
        EmptyReason::AllLocked,
        EmptyReason::NotYetDue,
        EmptyReason::ArrivedAfterSnapshot,
        EmptyReason::Unknown,
    ] {
        wanted.push(format!("empty-{}", json(serde_json::to_value(reason))));
    }
    for reason in [
        EndReason::Quiescent,
        EndReason::TimeLimit,
        EndReason::Stopped,
        EndReason::DatabaseLost,
        EndReason::EventLimit,
        EndReason::Failed,
    ] {
        wanted.push(format!("end-{}", json(serde_json::to_value(reason))));
    }
    for kind in [
        RefusalKind::Nowait,
        RefusalKind::LockTimeout,
        RefusalKind::Serialization,
        RefusalKind::Deadlock,
        RefusalKind::Cancelled,
        RefusalKind::IdleInTransaction,
        RefusalKind::Terminated,
        RefusalKind::ConnectionLost,
        RefusalKind::Other,
    ] {
        wanted.push(format!("refusal-{}", json(serde_json::to_value(kind))));
    }
    wanted.extend(Point::STOPS.iter().chain([&Point::Anywhere]).map(|point| format!("point-{}", point.word())));
    for evidence in [Evidence::Executed, Evidence::Observed, Evidence::Simulated] {
        wanted.push(format!("evidence-{}", json(serde_json::to_value(evidence))));
    }
    for wait in [WaitFor::TransactionId, WaitFor::Tuple, WaitFor::Relation, WaitFor::Advisory, WaitFor::Other] {
        wanted.push(format!("wait-{}", json(serde_json::to_value(wait))));
    }
    for knob in KNOBS {
        wanted.push(format!("group-{}", json(serde_json::to_value(knob.group))));
        if let Kind::Whole { unit, .. } | Kind::Real { unit, .. } = knob.kind {
            wanted.push(format!("unit-{}", json(serde_json::to_value(unit))));
        }
    }
    wanted.retain(|key| !keys.contains_key(key));
    assert_eq!(wanted, Vec::<String>::new());
}

#[test]
fn a_part_is_said_in_the_language_of_the_whole() {
    let half = Message::new("duration-s-tenths").with("n", 1u32).with("tenths", 6u32);
    let list = Message::new("list-and").with("left", "A").with("right", half);
    assert_eq!(list.say(Lang::En), "A and 1.6 s");
    assert_eq!(list.say(Lang::Ru), "A и 1,6 с");
    let text = serde_json::to_string(&list).unwrap();
    assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), list);
}

#[test]
fn plural_forms_follow_the_number() {
    let rows = |lang, n: u32| Message::new("count-rows").with("n", n).say(lang);
    assert_eq!(rows(Lang::En, 1), "1 row");
    assert_eq!(rows(Lang::En, 5), "5 rows");
    assert_eq!(rows(Lang::Ru, 1), "1 строка");
    assert_eq!(rows(Lang::Ru, 3), "3 строки");
    assert_eq!(rows(Lang::Ru, 5), "5 строк");
}
