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
        assert!(known(Lang::En, key) && known(Lang::Ru, key), "{key} does not parse");
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
fn plural_forms_follow_the_number() {
    let rows = |lang, n: u32| Message::new("count-rows").with("n", n).say(lang);
    assert_eq!(rows(Lang::En, 1), "1 row");
    assert_eq!(rows(Lang::En, 5), "5 rows");
    assert_eq!(rows(Lang::Ru, 1), "1 строка");
    assert_eq!(rows(Lang::Ru, 3), "3 строки");
    assert_eq!(rows(Lang::Ru, 5), "5 строк");
}
