//! `cargo xtask test`: installs what is missing, then runs every test there is.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::page::{self, WASM};
use crate::postgres::Server;
use crate::tally::Tally;
use crate::{setup, shell, tidy};

/// The native packages. They are always built as one set: a different set would choose other features for the
/// dependencies they share, and build those again.
const NATIVE: [&str; 10] = [
    "-p",
    "rowlock-shared",
    "-p",
    "rowlock-simulator",
    "-p",
    "rowlock-conformance",
    "-p",
    "rowlock-backend",
    "-p",
    "rowlock-tests",
];

/// How the names of the integration tests begin that run once on every PostgreSQL version.
const PER_SERVER: [&str; 3] = ["live", "cluster", "conformance"];

/// The same for those that need page, server and browser.
const END_TO_END: [&str; 1] = ["browser"];

/// What to test.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run only the tests whose name contains this
    filter: Option<String>,
    /// Run only this part; may be given more than once
    #[arg(long, value_enum)]
    only: Vec<Part>,
}

/// The parts, in the order they run: what is quick to fail comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// House rules, and the build tool's own tests
    Tidy,
    /// Builds the page
    Page,
    /// Unit, property and doc tests of all that is not the page
    Native,
    /// The page's tests, in a browser
    Wasm,
    /// Real PostgreSQL, once a version
    Live,
    /// Page, server and PostgreSQL together, in a browser
    Browser,
}

/// The target directory of everything but the page.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| shell::root().join("target"), |folder| shell::root().join(folder))
}

/// Builds the native packages, programs and tests, in one go; returns nothing, since cargo knows what is fresh.
///
/// # Errors
/// When something does not compile.
pub(crate) fn build_native() -> anyhow::Result<()> {
    shell::run(shell::cargo().arg("build").args(NATIVE).args(["--bins", "--tests"]))
}

/// Runs the tests.
///
/// # Errors
/// When something is missing that cannot be installed. Failed tests are no error of this function: it prints the summary and
/// ends the process with status 1.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let wants = |part: Part| options.only.is_empty() || options.only.contains(&part);
    let servers = shell::stage("what the tests need", "", setup::everything)?;
    let filter = options.filter.as_deref();
    let mut total = Tally::default();
    let mut lines = Vec::new();
    let mut part = |part: Part, name: &str, expect: &str, work: &mut dyn FnMut(&mut Tally) -> anyhow::Result<()>| {
        if !wants(part) {
            return;
        }
        let mut tally = Tally::default();
        let start = std::time::Instant::now();
        let result = shell::stage(&format!("test: {name}"), expect, || work(&mut tally));
        if let Err(error) = result {
            eprintln!("    {error:#}");
            tally.failed += 1;
        }
        lines.push(format!(
            "{name:<24} {:>5} passed {:>4} failed {:>6.1} s",
            tally.passed,
            tally.failed,
            start.elapsed().as_secs_f64()
        ));
        total.add(tally);
    };

    part(Part::Tidy, "house rules, build tool", "", &mut |tally| {
        tally.check("tidy", tidy::run());
        tally.run(with(shell::cargo().args(["test", "--quiet", "--profile", "tool", "-p", "xtask"]), filter))
    });
    part(Part::Page, "page", "", &mut |tally| {
        page::build(&page::Options { dev: true })?;
        tally.passed += 1;
        Ok(())
    });
    part(Part::Native, "native", "from clean about 4 min to compile", &mut |tally| {
        build_native()?;
        let mut units = shell::cargo();
        units.arg("test").args(NATIVE).args(["--no-fail-fast", "--lib", "--bins"]);
        for name in integration_tests(|name| !starts_with(name, &PER_SERVER) && !starts_with(name, &END_TO_END)) {
            units.args(["--test", &name]);
        }
        tally.run(with(&mut units, filter))?;
        tally.run(with(shell::cargo().arg("test").args(NATIVE).args(["--no-fail-fast", "--doc"]), filter))
    });
    part(Part::Wasm, "page, in a browser", "the runner is built once, about 1.5 min", &mut |tally| {
        shell::run(shell::cargo().args(["build", "--profile", "tool", "-p", "wasm-runner"]))?;
        let mut tests = shell::cargo();
        tests
            .args(["test", "-p", "rowlock-frontend", "--no-fail-fast", "--target", WASM, "--target-dir"])
            .arg(page::target_dir());
        tally.run(with(&mut tests, filter))
    });
    for server in &servers {
        part(Part::Live, &format!("live, PostgreSQL {}", server.version), "", &mut |tally| {
            build_native()?;
            let is_main = server.major == main_version(&servers);
            run_named(tally, &PER_SERVER, filter, |tests| {
                tests.env("ROWLOCK_PG_BIN", &server.bin).env("ROWLOCK_LIVE", if is_main { "full" } else { "short" });
            })
        });
    }
    part(Part::Browser, "end to end", "", &mut |tally| {
        build_native()?;
        run_named(tally, &END_TO_END, filter, |_| {})
    });

    eprintln!("\n==> summary");
    lines.iter().for_each(|line| println!("    {line}"));
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if total.failed > 0 {
        std::process::exit(1);
    }
    Ok(())
}

/// The version that gets every live test: the newest that the system itself has, or the newest of all.
fn main_version(servers: &[Server]) -> u32 {
    let newest =
        |fetched: bool| servers.iter().filter(|server| server.fetched == fetched).map(|server| server.major).max();
    newest(false).or_else(|| newest(true)).unwrap_or(0)
}

/// Runs the integration tests whose file name starts with one of `prefixes`.
fn run_named(
    tally: &mut Tally,
    prefixes: &[&str],
    filter: Option<&str>,
    prepare: impl Fn(&mut Command),
) -> anyhow::Result<()> {
    let names = integration_tests(|name| starts_with(name, prefixes));
    if names.is_empty() {
        eprintln!("    there are none");
        return Ok(());
    }
    let mut tests = shell::cargo();
    tests.arg("test").args(NATIVE).arg("--no-fail-fast");
    for name in &names {
        tests.args(["--test", name]);
    }
    prepare(&mut tests);
    tally.run(with(&mut tests, filter))
}

/// The names of the native packages' integration tests: `tests/NAME.rs` and `tests/NAME/main.rs`.
fn integration_tests(wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    for package in ["shared", "simulator", "conformance", "backend", "tests"] {
        let entries = std::fs::read_dir(shell::root().join(package).join("tests"));
        for path in entries.into_iter().flatten().flatten().map(|entry| entry.path()) {
            let is_test = path.extension().is_some_and(|e| e == "rs") || path.join("main.rs").is_file();
            names.extend(path.file_stem().filter(|_| is_test).map(|stem| Path::new(stem).display().to_string()));
        }
    }
    names.retain(|name| wanted(name));
    names.sort();
    names
}

fn starts_with(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

fn with<'a>(command: &'a mut Command, filter: Option<&str>) -> &'a mut Command {
    command.args(filter)
}
