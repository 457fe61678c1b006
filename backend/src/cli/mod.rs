//! The command line: `rowlock serve`, `rowlock run`, `rowlock presets`.
//!
//! What a person reads goes through the catalogue, in the language of `--lang` or of the environment. The log (standard
//! error, `ROWLOCK_LOG`) is for whoever looks after the program, and is English.

mod args;
mod base;
mod failure;
mod headless;
mod scenario;
mod serve;
mod signal;
mod table;

use args::Command;
use rowlock_shared::scenario::PRESETS;
use rowlock_shared::text::{Lang, say};
use std::io::IsTerminal;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

pub use args::command;
use failure::Failure;

/// Reads the arguments, does what they say, and tells how it went: 0 fine, 1 failed or database lost, 2 bad arguments or a
/// bad scenario, 130 interrupted.
pub fn main() -> ExitCode {
    let args = args::read();
    let lang = args.lang.unwrap_or_else(args::lang_of_environment);
    let log = match args.command {
        Command::Serve(_) => "warn,rowlock_backend=info",
        // The progress bar has the terminal to itself.
        Command::Run(_) | Command::Presets => "error",
    };
    let filter = EnvFilter::try_from_env("ROWLOCK_LOG").unwrap_or_else(|_| EnvFilter::new(log));
    let colours = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours);
    log.with_target(false).init();
    match run(args.command, lang) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("rowlock: {}", failure.say(lang));
            failure.code()
        }
    }
}

fn run(command: Command, lang: Lang) -> Result<ExitCode, Failure> {
    let runtime = || tokio::runtime::Runtime::new().map_err(|error| Failure::of_system("server-no-runtime", error));
    match command {
        Command::Serve(options) => {
            let runtime = runtime()?;
            let served = runtime.block_on(serve::serve(options, lang));
            // What still blocks, such as a name look-up, must not hold up the end.
            runtime.shutdown_background();
            served
        }
        Command::Run(options) => {
            // Before anything is started: a bad scenario costs no time.
            let scenario = scenario::read(&options)?;
            let runtime = runtime()?;
            let done = runtime.block_on(headless::run(options, scenario, lang));
            runtime.shutdown_background();
            done
        }
        Command::Presets => {
            let width = PRESETS.iter().map(|preset| preset.id.len()).max().unwrap_or(0);
            for preset in PRESETS {
                let (title, about) = (format!("preset-{}", preset.id), format!("preset-{}-about", preset.id));
                println!("{:width$}  {}. {}", preset.id, say(lang, &title), say(lang, &about));
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}
