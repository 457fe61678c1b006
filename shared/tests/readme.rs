//! The README's list of knobs is the one of the code. `ROWLOCK_BLESS=1` writes it anew.

use rowlock_shared::scenario::{KNOBS, Kind, Knob, Unit};
use rowlock_shared::text::{Lang, say};
use std::fmt::Write as _;
use std::path::Path;

const BEGIN: &str = "<!-- knobs -->\n";
const END: &str = "<!-- /knobs -->\n";

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Ms => "ms",
        Unit::PerSecond => "jobs/s",
        Unit::Percent => "%",
        Unit::Count | Unit::Probability | Unit::Factor | Unit::Plain => "",
    }
}

fn range(knob: &Knob) -> String {
    match knob.kind {
        Kind::Switch => "on, off".to_owned(),
        Kind::Choice(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Kind::Whole { min, max, unit: of } => format!("{min} to {max} {}", unit(of)).trim_end().to_owned(),
        Kind::Real { min, max, unit: of } => format!("{min} to {max} {}", unit(of)).trim_end().to_owned(),
    }
}

fn table() -> String {
    let mut text = String::from("| knob | range | default | |\n|---|---|---|---|\n");
    for knob in KNOBS {
        let default = match (knob.kind, knob.default_text()) {
            (Kind::Switch, on) => if on == "true" { "on" } else { "off" }.to_owned(),
            (Kind::Choice(_), word) => format!("`{word}`"),
            (_, number) => number,
        };
        let about = say(Lang::En, &format!("knob-{}-about", knob.name.replace('_', "-"))).replace('\n', " ");
        writeln!(text, "| `{}` | {} | {default} | {about} |", knob.name, range(knob)).expect("a string takes text");
    }
    text
}

#[test]
fn the_readme_lists_every_knob_with_unit_range_and_default() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md");
    let start = readme.find(BEGIN).expect("the opening mark") + BEGIN.len();
    let end = readme.find(END).expect("the closing mark");
    if std::env::var_os("ROWLOCK_BLESS").is_some() {
        let new = format!("{}{}{}", &readme[..start], table(), &readme[end..]);
        std::fs::write(&path, new).expect("README.md can be written");
        return;
    }
    assert_eq!(&readme[start..end], table(), "run `ROWLOCK_BLESS=1 cargo test -p rowlock-shared --test readme`");
}
