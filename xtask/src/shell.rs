//! Starting other programs, and saying what is going on while they run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};

/// The root of the workspace: the folder that holds this crate.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cargo that started this tool, run in the workspace's root.
///
/// The variables that the outer cargo sets for *this* crate are taken away: a build script that watches one of them would
/// otherwise run again each time the build changes hands between a shell and this tool.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs `command` to its end with the terminal as its own; a status other than success is an error that names the command.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", words(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", words(command));
    }
    Ok(())
}

/// Runs `command` and returns what it printed on standard output; `None` when it cannot be started or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Is there a program of this name in `PATH`?
pub(crate) fn has_program(name: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// The command line as a person would type it, for messages.
pub(crate) fn words(command: &Command) -> String {
    let arguments = command.get_args().map(|word| word.to_string_lossy());
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy();
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Announces a stage, runs it, and says how long it took. `expect` tells a person who sees nothing move what to expect.
pub(crate) fn stage<T>(what: &str, expect: &str, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let note = if expect.is_empty() { String::new() } else { format!("  ({expect})") };
    eprintln!("\n==> {what}{note}");
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    match &result {
        Ok(_) => eprintln!("    done in {seconds:.1} s"),
        Err(_) => eprintln!("    failed after {seconds:.1} s"),
    }
    result
}
