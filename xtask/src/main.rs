//! The build tool of Rowlock: `cargo xtask run` builds and starts everything, `cargo xtask test` tests everything.
//!
//! A cargo alias (`.cargo/config.toml`) makes this crate a sub-command, so that a clone needs nothing but Rust: what other
//! projects ask the reader to install first, this one builds from libraries pinned in `Cargo.lock`.
//!
//! Read [`page`] first (how the page gets into `dist/`), then [`run`], then [`test`].

mod page;
mod postgres;
mod run;
mod setup;
mod shell;
mod shots;
mod tally;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Builds, runs and tests Rowlock.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the page and the server, then serve; Ctrl-C stops everything
    Run(run::Options),
    /// Install what the tests need, then run all of them
    Test(test::Options),
    /// Build the page alone into dist/
    #[command(alias = "build-page")]
    Page(page::Options),
    /// Install what the tests need, and no more
    Setup,
    /// Check the house rules
    Tidy,
    /// Take pictures of a page in three sizes, light and dark
    Shots(shots::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Run(options) => run::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Page(options) => page::build(&options),
        Task::Setup => setup::everything().map(drop),
        Task::Tidy => tidy::run(),
        Task::Shots(options) => shots::run(&options),
    };
    // What went wrong is said in one line: a backtrace of this tool would bury the output of the program that failed.
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
