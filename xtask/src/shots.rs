//! `cargo xtask shots`: pictures of a page, for the eye and for the README.

use std::process::Command;

use crate::{run, shell, test};

/// What to picture.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// URL OUTDIR [--click SELECTOR] [--wait SELECTOR] …; `--help` tells more
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Builds the program that drives the browser (it lies with the end-to-end tests and shares their code) and becomes it.
///
/// # Errors
/// When it does not build or cannot be started.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    shell::stage("building the photographer", "", || {
        shell::run(shell::cargo().args(["build", "-p", "rowlock-tests", "--bin", "shots"]))
    })?;
    run::become_program(Command::new(test::target_dir().join("debug/shots")).args(&options.arguments))
}
