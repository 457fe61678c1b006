//! Takes pictures of a page in three sizes, light and dark: `cargo xtask shots URL OUTDIR [STEP …]`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use rowlock_tests::{Browser, Scheme};

const USAGE: &str = "\
usage: shots URL OUTDIR [STEP …]

Opens URL at 1440 wide, takes the steps in the order they are given, then writes OUTDIR/<width>-<light|dark>.png
for 1440×900, 1024×768 and 390×844.

  --click SELECTOR   wait for the element and click it
  --wait SELECTOR    wait (at most two minutes) until an element matches
  --eval SCRIPT      run JavaScript in the page";

/// The longest that a step waits: a run on the page may take its minute.
const STEP: Duration = Duration::from_secs(120);

const SIZES: [(u32, u32); 3] = [(1440, 900), (1024, 768), (390, 844)];

#[tokio::main]
async fn main() -> ExitCode {
    match shoot().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn shoot() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, folder, steps @ ..] = arguments.as_slice() else { bail!(USAGE) };
    if steps.len() % 2 != 0 {
        bail!("a step is an option and a value\n{USAGE}");
    }
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;

    let browser = Browser::start().await?;
    browser.resize(SIZES[0].0, SIZES[0].1).await?;
    browser.goto(url).await?;
    for step in steps.chunks(2) {
        match step[0].as_str() {
            "--click" => browser.click(&step[1]).await?,
            "--wait" => drop(browser.find_within(&step[1], STEP).await?),
            "--eval" => drop(browser.eval(&step[1]).await?),
            other => bail!("{other} is no step\n{USAGE}"),
        }
    }
    for (width, height) in SIZES {
        browser.resize(width, height).await?;
        for (scheme, name) in [(Scheme::Light, "light"), (Scheme::Dark, "dark")] {
            browser.prefer(scheme, true).await?;
            let path = folder.join(format!("{width}-{name}.png"));
            browser.screenshot(&path).await?;
            println!("{}", path.display());
        }
    }
    for error in browser.console_errors().await? {
        eprintln!("console: {error}");
    }
    Ok(())
}
