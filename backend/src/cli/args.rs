//! The arguments. Their help is in the catalogue under `help-<command>` and `help-<argument>`.

use crate::live::Keep;
use crate::runs::Limits;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use rowlock_shared::text::{Lang, say};
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Parser)]
#[command(name = "rowlock", version)]
pub(super) struct Args {
    #[arg(long, global = true, value_name = "en|ru", value_parser = lang)]
    pub(super) lang: Option<Lang>,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    Serve(Serve),
    Run(Run),
    Presets,
}

/// Where the database is.
#[derive(clap::Args)]
pub(super) struct Base {
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    pub(super) database_url: Option<String>,
    #[arg(long, conflicts_with = "database_url")]
    pub(super) fast_not_durable: bool,
    #[arg(long, value_name = "DIR")]
    pub(super) cache_dir: Option<PathBuf>,
    #[arg(long, value_name = "DAYS", default_value_t = Keep::default().days, value_parser = clap::value_parser!(i32).range(0..))]
    pub(super) keep_days: i32,
    #[arg(long, value_name = "MB", default_value_t = Keep::default().bytes >> 20, value_parser = clap::value_parser!(i64).range(1..1 << 20))]
    pub(super) keep_mb: i64,
}

impl Base {
    pub(super) fn keep(&self) -> Keep {
        Keep { days: self.keep_days, bytes: self.keep_mb << 20 }
    }
}

#[derive(clap::Args)]
pub(super) struct Serve {
    #[arg(long)]
    pub(super) port: Option<u16>,
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(super) host: IpAddr,
    #[arg(long, value_name = "NAME")]
    pub(super) allow_host: Vec<String>,
    #[arg(long, value_name = "N", default_value_t = Limits::default().runs, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) max_runs: u32,
    #[arg(long, value_name = "N", default_value_t = Limits::default().viewers, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) max_viewers: u32,
    #[command(flatten)]
    pub(super) base: Base,
}

#[derive(clap::Args)]
pub(super) struct Run {
    #[arg(long, value_name = "NAME", conflicts_with = "scenario")]
    pub(super) preset: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub(super) scenario: Option<PathBuf>,
    #[arg(long = "set", value_name = "knob=value")]
    pub(super) set: Vec<String>,
    #[arg(long)]
    pub(super) json: bool,
    #[arg(long, value_name = "FILE|-")]
    pub(super) events: Option<PathBuf>,
    #[command(flatten)]
    pub(super) base: Base,
}

fn lang(tag: &str) -> Result<Lang, String> {
    Lang::ALL.into_iter().find(|lang| lang.code() == tag).ok_or_else(|| "en | ru".into())
}

/// The language that the environment asks for, by the order that POSIX gives.
pub(super) fn lang_of_environment() -> Lang {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    set.into_iter().find(|tag| !tag.is_empty()).map_or(Lang::En, |tag| Lang::from_tag(&tag))
}

/// The command line with its help in a language.
pub fn command(lang: Lang) -> clap::Command {
    described(Args::command().about(say(lang, "help-rowlock")), lang).mut_subcommands(|sub| {
        let about = say(lang, &format!("help-{}", sub.get_name()));
        described(sub.about(about), lang)
    })
}

fn described(command: clap::Command, lang: Lang) -> clap::Command {
    command.mut_args(|arg| match arg.get_id().as_str() {
        "help" | "version" => arg,
        id => {
            let help = say(lang, &format!("help-{}", id.replace('_', "-")));
            arg.help(help)
        }
    })
}

/// Reads the arguments; help, version and errors end the program here.
pub(super) fn read() -> Args {
    // The help is needed before the arguments are read: its language is looked for by hand.
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let after = words.iter().position(|word| word == "--lang").and_then(|at| words.get(at + 1));
    let tag = words.iter().find_map(|word| word.strip_prefix("--lang=")).or(after.map(String::as_str));
    let lang = tag.map_or_else(lang_of_environment, Lang::from_tag);
    let matches = command(lang).get_matches();
    Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}
