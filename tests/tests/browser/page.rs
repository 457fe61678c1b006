//! What a person does on the page, in words.

use anyhow::{Context, ensure};
use rowlock_shared::world::Summary;
use rowlock_tests::{App, Browser};
use std::process::Command;
use std::time::Duration;
use thirtyfour::{Key, TypingData};

/// Longest wait for a run's end.
const RUN: Duration = Duration::from_secs(90);

/// A server of the test's own and its page in a browser of the test's own.
pub(crate) struct Page {
    pub(crate) app: App,
    pub(crate) browser: Browser,
}

impl Page {
    /// Opens the page and waits until it can be used.
    pub(crate) async fn open() -> anyhow::Result<Page> {
        Page::open_with(|_| {}).await
    }

    /// The same with a server that was told more.
    pub(crate) async fn open_with(prepare: impl FnOnce(&mut Command)) -> anyhow::Result<Page> {
        let app = App::start_with(prepare)?;
        let browser = Browser::start().await?;
        browser.goto(app.address()).await?;
        let page = Page { app, browser };
        page.browser.find(&id("run")).await?;
        Ok(page)
    }

    /// Chooses a mode.
    pub(crate) async fn mode(&self, word: &str) -> anyhow::Result<()> {
        // A person clicks the label; the radio button itself is out of sight.
        self.browser.click(&format!("label:has([data-testid='mode-{word}'])")).await
    }

    /// Types a number into a knob.
    pub(crate) async fn knob(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let field = self.browser.find(&id(&format!("knob-{name}"))).await?;
        field.send_keys(Key::Control + "a".to_owned()).await?;
        field.send_keys(text).await?;
        field.send_keys(TypingData::from(Key::Tab)).await?;
        Ok(())
    }

    /// Chooses a word of a knob.
    pub(crate) async fn choose(&self, name: &str, word: &str) -> anyhow::Result<()> {
        self.browser.click(&format!("{} option[value='{word}']", id(&format!("knob-{name}")))).await
    }

    /// Presses Run.
    pub(crate) async fn run(&self) -> anyhow::Result<()> {
        self.browser.click(&id("run")).await
    }

    /// Waits until the page says that the run is over, and why.
    pub(crate) async fn ended(&self, reason: &str) -> anyhow::Result<()> {
        let selector = format!("[data-testid='status'][data-state='ended'][data-reason='{reason}']");
        self.browser.find_within(&selector, RUN).await.map(|_| ())
    }

    /// A counter's number on the page; `None` where the page says that nobody looked.
    pub(crate) async fn counter(&self, name: &str) -> anyhow::Result<Option<f64>> {
        let element = self.browser.find(&id(&format!("counter-{name}"))).await?;
        element.attr("data-value").await?.map(|text| text.parse().context("a number")).transpose()
    }

    /// What the API answers, asked from the page itself.
    pub(crate) async fn api(&self, path: &str) -> anyhow::Result<serde_json::Value> {
        let script = format!(
            "const ask = new XMLHttpRequest(); ask.open('GET', 'api/{path}', false); ask.send(); return ask.responseText"
        );
        let text = self.browser.eval(&script).await?;
        serde_json::from_str(text.as_str().context("text")?).with_context(|| format!("{path}: {text}"))
    }

    /// The summary of the newest run, by the API.
    pub(crate) async fn summary(&self) -> anyhow::Result<Summary> {
        let runs = self.api("runs").await?;
        let id = runs[0]["id"].as_u64().context("a run")?;
        Ok(serde_json::from_value(self.api(&format!("runs/{id}/summary")).await?)?)
    }

    /// The console has said nothing bad.
    pub(crate) async fn is_quiet(&self) -> anyhow::Result<()> {
        let errors = self.browser.console_errors().await?;
        ensure!(errors.is_empty(), "the console says {errors:#?}");
        Ok(())
    }
}

/// The selector of a test id.
pub(crate) fn id(name: &str) -> String {
    format!("[data-testid='{name}']")
}
