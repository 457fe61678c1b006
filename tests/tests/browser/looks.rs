//! Sizes, themes, languages, the keyboard: what can be checked without an eye.

use crate::page::{Page, id};
use rowlock_tests::Scheme;
use thirtyfour::{Key, TypingData};

const SIZES: [(u32, u32); 3] = [(1440, 900), (1024, 768), (390, 844)];

#[tokio::test]
async fn nothing_overflows_in_any_size_theme_or_language() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.knob("jobs", "40").await?;
    page.knob("work_ms", "50").await?;
    page.run().await?;
    page.ended("quiescent").await?;
    for lang in ["lang-en", "lang-ru"] {
        page.browser.click(&id(lang)).await?;
        for scheme in [Scheme::Light, Scheme::Dark] {
            page.browser.prefer(scheme, true).await?;
            for (width, height) in SIZES {
                page.browser.resize(width, height).await?;
                let wide = page.browser.eval("return document.documentElement.scrollWidth").await?;
                assert!(wide.as_u64() <= Some(u64::from(width)), "{lang} {scheme:?} {width}: {wide} wide");
            }
        }
        page.browser.resize(1440, 900).await?;
    }
    page.is_quiet().await
}

#[tokio::test]
async fn a_run_can_be_started_and_a_worker_chosen_by_keyboard_alone() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.knob("work_ms", "30").await?;
    let body = page.browser.find("body").await?;
    page.browser.eval("document.activeElement.blur()").await?;
    body.send_keys("r").await?;
    page.ended("quiescent").await?;
    body.send_keys("j").await?;
    page.browser.find(&id("inspector")).await?;
    body.send_keys("?").await?;
    page.browser.find(&format!("{}[open], {}", id("help-dialog"), id("help-dialog"))).await?;
    body.send_keys(TypingData::from(Key::Escape)).await?;
    // Tab reaches the Run button from the top of the page.
    page.browser.eval("document.activeElement.blur(); window.scrollTo(0, 0)").await?;
    for _ in 0..20 {
        page.browser.driver().active_element().await?.send_keys(TypingData::from(Key::Tab)).await?;
        let at = page.browser.eval("return document.activeElement.dataset.testid || ''").await?;
        if at == "run" {
            return page.is_quiet().await;
        }
    }
    anyhow::bail!("Tab never reached Run")
}

#[tokio::test]
async fn ten_thousand_rows_cost_only_those_in_view() -> anyhow::Result<()> {
    let page = Page::open().await?;
    page.knob("jobs", "10000").await?;
    page.knob("workers", "64").await?;
    page.knob("work_ms", "20").await?;
    page.choose("shape", "claim-commit").await?;
    page.run().await?;
    page.ended("quiescent").await?;
    let rows = page.browser.eval("return document.querySelectorAll('[data-testid^=\"row-\"]').length").await?;
    assert!(rows.as_u64().is_some_and(|rows| rows > 0 && rows < 200), "{rows} rows in the document");
    assert_eq!(page.summary().await?.done, 10_000);
    page.is_quiet().await
}
