//! Bad input, a breakpoint, a crash by hand, a killed PostgreSQL: the page says what is the matter and goes on.

use crate::page::{Page, id};
use anyhow::Context;
use rowlock_shared::scenario::Scenario;
use rowlock_shared::text::Lang;
use std::process::Command;

#[tokio::test]
async fn a_knob_out_of_bounds_is_named_with_value_and_bound_in_both_languages() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.knob("workers", "65").await?;
    let error = Scenario::default().with("workers", "65").expect_err("refused");
    page.browser.wait_text(".knob .error", &error.message().say(Lang::En)).await?;
    assert!(!page.browser.find(&id("run")).await?.is_enabled().await?, "Run is off while a knob is wrong");
    page.browser.click(&id("lang-ru")).await?;
    page.browser.wait_text(".knob .error", &error.message().say(Lang::Ru)).await?;
    page.knob("workers", "3").await?;
    assert!(page.browser.find(&id("run")).await?.is_enabled().await?);
    page.is_quiet().await
}

#[tokio::test]
async fn a_worker_is_paused_joined_crashed_and_the_run_stopped() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.knob("jobs", "500").await?;
    page.knob("work_ms", "400").await?;
    page.run().await?;
    page.browser.click(&id("worker-B")).await?;
    page.browser.click(&format!("{} option[value='in-work']", id("break-point"))).await?;
    page.browser.click(&id("break")).await?;
    // The line that joins the run with one's own psql appears once somebody stands still.
    let line = page.browser.text(&id("psql")).await?;
    assert!(line.contains("psql") && line.contains("rowlock_run_"), "{line}");
    page.browser.click(&id("crash")).await?;
    page.browser.wait_text(&id("log"), "B crashes").await?;
    page.browser.click(&id("stop")).await?;
    page.ended("stopped").await?;
    page.is_quiet().await
}

#[tokio::test]
async fn a_killed_postgresql_is_said_and_the_next_run_works() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.knob("work_ms", "500").await?;
    page.run().await?;
    page.browser.find(&format!("{} .bar, {}", id("worker-A"), id("row-3"))).await?;
    let pid = postmaster(&page)?;
    assert!(Command::new("kill").args(["-9", &pid]).status()?.success());
    page.ended("database-lost").await?;
    page.knob("work_ms", "20").await?;
    // The server needs a moment for a new cluster; until then Run answers that there is none.
    for _ in 0..20 {
        page.run().await?;
        if page.ended_soon("quiescent").await {
            return Ok(());
        }
    }
    anyhow::bail!("no run works after PostgreSQL came back: {}", page.app.log()?)
}

/// The process id of the cluster that belongs to this page's server.
fn postmaster(page: &Page) -> anyhow::Result<String> {
    let mut folders = vec![page.app.cache()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name == "postmaster.pid") {
                let text = std::fs::read_to_string(path)?;
                return Ok(text.lines().next().context("a pid")?.to_owned());
            } else if path.is_dir() && !path.ends_with("base") && !path.ends_with("pg_wal") {
                folders.push(path);
            }
        }
    }
    anyhow::bail!("no postmaster.pid under {}", page.app.cache().display())
}

impl Page {
    /// Whether a run ends for this reason within a few seconds.
    async fn ended_soon(&self, reason: &str) -> bool {
        let selector = format!("[data-testid='status'][data-state='ended'][data-reason='{reason}']");
        self.browser.find_within(&selector, std::time::Duration::from_secs(4)).await.is_ok()
    }
}
