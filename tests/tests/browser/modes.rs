//! Each mode is started from the page on the real server; what the page counts at the end is what the API says.

use crate::page::Page;
use rowlock_shared::scenario::{Choice, Mode};

async fn counters_agree(page: &Page, mode: &str) -> anyhow::Result<()> {
    let summary = page.summary().await?;
    let lock_errors =
        summary.nowait_errors + summary.lock_timeouts + summary.deadlocks + summary.serialization_failures;
    let told = [
        ("duplicates", Some(summary.duplicates)),
        ("ran-again", Some(summary.ran_again)),
        ("skips", summary.skips),
        ("rechecks", summary.rechecks),
        ("lock-errors", Some(lock_errors)),
        ("inversions", Some(summary.inversions)),
        ("stale-acks", Some(summary.stale_acks)),
        ("retries", Some(summary.retries)),
        ("reaped", Some(summary.reaped)),
        ("dead-letters", Some(summary.dead_letters)),
        ("waiting", Some(0)),
    ];
    for (name, by_api) in told {
        assert_eq!(page.counter(name).await?, by_api.map(f64::from), "{mode}: {name}");
    }
    assert_eq!(summary.done, 12, "{mode}: {summary:#?}");
    assert_eq!(page.counter("waited").await?, Some(summary.waited_us as f64), "{mode}");
    Ok(())
}

#[tokio::test]
async fn every_mode_runs_from_the_page_and_its_counters_are_those_of_the_api() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.knob("jobs", "12").await?;
    page.knob("work_ms", "60").await?;
    for (word, mode) in Mode::WORDS {
        page.mode(word).await?;
        page.run().await?;
        page.ended("quiescent").await?;
        counters_agree(&page, word).await?;
        let summary = page.summary().await?;
        match mode {
            Mode::Naive => assert!(summary.duplicates > 0, "{summary:#?}"),
            Mode::AdvisoryUnguarded => {}
            Mode::Nowait => assert!(summary.nowait_errors > 0 && summary.duplicates == 0, "{summary:#?}"),
            _ => assert_eq!(summary.duplicates, 0, "{word}: {summary:#?}"),
        }
    }
    page.is_quiet().await
}

#[tokio::test]
async fn a_reaper_run_shows_crashes_and_rescues() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.choose("shape", "claim-commit").await?;
    page.knob("jobs", "12").await?;
    page.knob("work_ms", "50").await?;
    page.knob("crash_probability", "0.4").await?;
    page.browser.click(&crate::page::id("knob-reaper")).await?;
    page.knob("lease_ms", "400").await?;
    page.run().await?;
    page.ended("quiescent").await?;
    let summary = page.summary().await?;
    assert!(summary.crashes > 0 && summary.reaped > 0, "{summary:#?}");
    assert_eq!(page.counter("reaped").await?, Some(f64::from(summary.reaped)));
    page.is_quiet().await
}
