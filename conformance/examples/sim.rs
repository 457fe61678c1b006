//! Runs records on the simulator and prints where it differs.
use rowlock_conformance::{compare, record, run, simulated::Simulated};

fn main() {
    let mut lab = Simulated::new();
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).expect("a file");
        let mut verdicts = Vec::new();
        match record::read(&text).expect("records") {
            record::Records::Schedules(all) => {
                for one in &all {
                    if std::env::var("V").is_ok() { eprintln!("{}", one.id); }
                    verdicts
                        .push((one.id.clone(), compare::schedule(one, &run::schedule(&mut lab, one).expect("lab"))));
                }
            }
            record::Records::Spec(spec) => {
                for one in &spec.permutations {
                    verdicts.push((
                        format!("{} {}", one.index, one.steps.join(" ")),
                        compare::permutation(one, &run::permutation(&mut lab, &spec, one).expect("lab")),
                    ));
                }
            }
        }
        let agreed = verdicts.iter().filter(|(_, verdict)| *verdict == compare::Verdict::Agrees).count();
        println!("{file}: {agreed} / {}", verdicts.len());
        for (name, verdict) in verdicts.iter().filter(|(_, verdict)| *verdict != compare::Verdict::Agrees).take(12) {
            println!("  {name}: {verdict:#?}");
        }
    }
}
