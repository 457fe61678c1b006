//! `cargo xtask run`: from a clone to a served page in one command.

use std::process::Command;

use anyhow::Context;

use crate::{page, shell};

/// How to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Build quickly instead of fast: first look in about half the time, slower page and server
    #[arg(long)]
    dev: bool,
    /// Passed on to `rowlock serve`, for instance `--port 8080`
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds the page, then the server that embeds it, then becomes that server.
///
/// # Errors
/// When something does not build or the server cannot be started. On Unix the server takes this process's place, so that
/// Ctrl-C and SIGTERM reach it and its exit status is the command's.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let (profile, folder, expect) = if options.dev {
        ("dev", "debug", "from clean about 2 min; slower to run")
    } else {
        ("release", "release", "from clean about 4 min, later seconds; `cargo xtask run --dev` is quicker to build")
    };
    page::build(&page::Options { dev: options.dev })?;
    shell::stage("server: compiling", expect, || {
        shell::run(shell::cargo().args(["build", "-p", "rowlock-backend", "--bin", "rowlock", "--profile", profile]))
    })?;
    let server = crate::test::target_dir().join(folder).join(format!("rowlock{}", std::env::consts::EXE_SUFFIX));
    eprintln!("\n==> rowlock serve {}", options.arguments.join(" "));
    become_program(Command::new(server).arg("serve").args(&options.arguments))
}

/// Replaces this process by `command`.
#[cfg(unix)]
pub(crate) fn become_program(command: &mut Command) -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(error).with_context(|| format!("cannot start {}", shell::words(command)))
}

/// Runs `command`; where a process cannot replace itself, Ctrl-C reaches both, and this one waits for the other.
#[cfg(not(unix))]
pub(crate) fn become_program(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shell::words(command)))?;
    std::process::exit(status.code().unwrap_or(1));
}
