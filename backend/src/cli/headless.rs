//! `rowlock run`: one scenario, live, without a page.

use super::args::Run;
use super::base::Standing;
use super::failure::Failure;
use super::{signal, table};
use crate::cluster::ProgressFn;
use crate::runs::{Hub, Limits, Runs};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rowlock_shared::event::EndReason;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::text::{Lang, Message, say};
use rowlock_shared::world::{JobState, World};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Between two looks at the world for the progress bar.
const TICK: Duration = Duration::from_millis(100);

/// Runs the scenario and prints what it was asked for.
pub(super) async fn run(options: Run, scenario: Scenario, lang: Lang) -> Result<ExitCode, Failure> {
    let signal = signal::watch().map_err(|error| Failure::of_system("server-no-runtime", error))?;
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    bar.enable_steady_tick(TICK);
    bar.set_style(style("{spinner} {msg}"));
    let standing = Standing::stand(&options.base, Limits::default(), shown_on(&bar), signal.clone()).await;
    let standing = standing.inspect_err(|_| bar.finish_and_clear())?;
    let played = play(&standing.runs, scenario, &bar, signal, lang).await;
    bar.finish_and_clear();
    let told = match &played {
        Ok((hub, _)) => tell(hub, &options, lang),
        Err(_) => Ok(()),
    };
    standing.end().await;
    let (hub, interrupted) = played?;
    told?;
    Ok(code(hub.world().ended.as_ref().map(|(reason, _)| *reason), interrupted))
}

/// 0 fine, 1 failed, 130 interrupted.
fn code(ended: Option<EndReason>, interrupted: bool) -> ExitCode {
    match ended {
        Some(EndReason::Quiescent | EndReason::TimeLimit | EndReason::EventLimit) => ExitCode::SUCCESS,
        Some(EndReason::Stopped) if interrupted => ExitCode::from(130),
        Some(EndReason::Stopped) => ExitCode::SUCCESS,
        Some(EndReason::DatabaseLost | EndReason::Failed) | None => ExitCode::from(1),
    }
}

fn shown_on(bar: &ProgressBar) -> ProgressFn {
    let bar = bar.clone();
    Arc::new(move |step| bar.set_message(step.to_string()))
}

fn style(template: &str) -> ProgressStyle {
    // The templates are ours; one that cannot be read would only cost the looks.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Plays it to its end; a signal stops it. Says whether there was one.
async fn play(
    runs: &Runs,
    scenario: Scenario,
    bar: &ProgressBar,
    signal: watch::Receiver<bool>,
    lang: Lang,
) -> Result<(Arc<Hub>, bool), Failure> {
    let jobs = scenario.jobs;
    let info = runs.start(scenario).await?;
    let hub = runs.hub(info.id).await?;
    bar.set_length(u64::from(jobs));
    bar.set_style(style("{spinner} [{bar:30}] {msg}"));
    let mut interrupted = false;
    let interruption = signal::given(signal);
    let watched = hub.clone();
    let over = watched.over();
    tokio::pin!(interruption, over);
    loop {
        show(bar, &hub.world(), jobs, lang);
        tokio::select! {
            biased;
            () = &mut over => break,
            () = &mut interruption, if !interrupted => {
                interrupted = true;
                runs.stop(info.id).await?;
            }
            () = tokio::time::sleep(TICK) => {}
        }
    }
    Ok((hub, interrupted))
}

fn show(bar: &ProgressBar, world: &World, jobs: u32, lang: Lang) {
    let done = world.count(JobState::Done);
    bar.set_position(u64::from(done + world.count(JobState::Failed)));
    let message = Message::new("cli-progress").with("done", done).with("jobs", jobs);
    bar.set_message(message.with("waiting", world.waiting()).say(lang));
}

/// Writes events and summary to where they belong. What cannot be written is an error; a reader that went away is not.
fn tell(hub: &Hub, options: &Run, lang: Lang) -> Result<(), Failure> {
    let world = hub.world();
    let to_stdout = options.events.as_deref() == Some(Path::new("-"));
    if let Some(file) = &options.events {
        let write = |out: &mut dyn Write| {
            for segment in hub.segments() {
                out.write_all(segment.text().as_bytes())?;
            }
            out.flush()
        };
        let written = match to_stdout {
            true => write(&mut std::io::stdout().lock()),
            false => std::fs::File::create(file).and_then(|mut out| write(&mut out)),
        };
        let cannot = |error: std::io::Error| {
            let message = Message::new("cli-cannot-write").with("file", file.display().to_string());
            Failure::Broken(message.with("why", error.to_string()))
        };
        match written {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            other => other.map_err(cannot)?,
        }
    }
    let summary = match options.json {
        // A flat record of numbers and words: to write it as JSON cannot fail.
        true => serde_json::to_string_pretty(&world.summary()).unwrap_or_default() + "\n",
        false => table::table(&world, lang),
    };
    let written = match to_stdout {
        true => std::io::stderr().write_all(summary.as_bytes()),
        false => std::io::stdout().write_all(summary.as_bytes()),
    };
    if written.is_err() {
        tracing::debug!(message = say(lang, "server-interrupted"), "nobody reads the summary");
    }
    Ok(())
}
