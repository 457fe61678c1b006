//! A headless Chromium of the test's own.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::prelude::*;
use thirtyfour::stringmatch::StringMatch;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

use crate::process::{Folder, Process};

/// How long to wait for something to appear on the page, unless the caller says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// How often to look whether it has.
const LOOK: Duration = Duration::from_millis(25);

/// No sandbox, since tests run as root in CI; no shared memory, since containers have little; no network of its own.
const FLAGS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The colours that the system prefers, as a page sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// A browser with one window; it ends, with its driver, when dropped.
#[derive(Debug)]
pub struct Browser {
    // The order matters: the driver ends before its folder goes.
    driver: WebDriver,
    port: u16,
    _process: Process,
    _profile: Folder,
}

impl Browser {
    /// Starts driver and browser. The driver is `$CHROMEDRIVER`, or `chromedriver` from `PATH`.
    ///
    /// # Errors
    /// When either cannot be started.
    pub async fn start() -> anyhow::Result<Self> {
        let profile = Folder::new("browser")?;
        let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let mut process = Process::start("chromedriver", Command::new(program).arg("--port=0").stderr(Stdio::null()))
            .context("install Chromium and its driver: `cargo xtask setup`")?;
        let port = process.wait_for(|line| {
            let digits = line.split_once("successfully on port ")?.1.trim_end_matches('.');
            digits.parse::<u16>().ok()
        })?;

        let mut wanted = ChromeCapabilities::new();
        for flag in FLAGS {
            wanted.add_arg(flag)?;
        }
        wanted.add_arg(&format!("--user-data-dir={}", profile.path().display()))?;
        wanted.set_logging_prefs("browser", LoggingPrefsLogLevel::All)?;
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), wanted).await?;
        Ok(Self { driver, port, _process: process, _profile: profile })
    }

    /// The session itself, for what has no shorter way here.
    #[must_use]
    pub fn driver(&self) -> &WebDriver {
        &self.driver
    }

    /// Opens an address and waits until it is loaded.
    ///
    /// # Errors
    /// When it cannot be loaded.
    pub async fn goto(&self, url: &str) -> anyhow::Result<()> {
        Ok(self.driver.goto(url).await?)
    }

    /// Waits until something matches the CSS selector, and returns the first of it.
    ///
    /// # Errors
    /// When nothing does within [`PATIENCE`].
    pub async fn find(&self, selector: &str) -> anyhow::Result<WebElement> {
        self.find_within(selector, PATIENCE).await
    }

    /// Waits as long as told until something matches the CSS selector.
    ///
    /// # Errors
    /// When nothing does in that time; the message holds the errors of the console, which often tell why.
    pub async fn find_within(&self, selector: &str, time: Duration) -> anyhow::Result<WebElement> {
        match self.driver.query(By::Css(selector)).wait(time, LOOK).first().await {
            Ok(element) => Ok(element),
            Err(error) => {
                let console = self.console_errors().await.unwrap_or_default();
                Err(error).with_context(|| format!("nothing matched {selector}; the console says {console:?}"))
            }
        }
    }

    /// Waits for the element and clicks it.
    ///
    /// # Errors
    /// When it does not appear, or something covers it.
    pub async fn click(&self, selector: &str) -> anyhow::Result<()> {
        self.find(selector).await?.click().await.with_context(|| format!("cannot click {selector}"))
    }

    /// Waits for the element and returns the text that a person sees of it.
    ///
    /// # Errors
    /// When it does not appear.
    pub async fn text(&self, selector: &str) -> anyhow::Result<String> {
        Ok(self.find(selector).await?.text().await?)
    }

    /// Waits until an element that matches has a text that contains `text`.
    ///
    /// # Errors
    /// When none does within [`PATIENCE`]; the message holds the text it has instead.
    pub async fn wait_text(&self, selector: &str, text: &str) -> anyhow::Result<()> {
        let query = self.driver.query(By::Css(selector)).with_text(StringMatch::new(text).partial());
        if query.wait(PATIENCE, LOOK).exists().await? {
            return Ok(());
        }
        let seen = self.driver.query(By::Css(selector)).nowait().first_opt().await?;
        let seen = match seen {
            Some(element) => element.text().await?,
            None => "nothing".to_owned(),
        };
        ensure!(false, "{selector} never said {text:?}; it says {seen:?}");
        Ok(())
    }

    /// Runs JavaScript in the page and returns the value that it returns.
    ///
    /// # Errors
    /// When the script throws.
    pub async fn eval(&self, script: &str) -> anyhow::Result<Value> {
        Ok(self.driver.execute(script, Vec::new()).await?.json().clone())
    }

    /// The errors that the console got since this was last asked: panics, failed requests, violations of the policy.
    ///
    /// # Errors
    /// When the driver does not answer.
    pub async fn console_errors(&self) -> anyhow::Result<Vec<String>> {
        let log = self.driver.browser_log().await?;
        Ok(log.into_iter().filter(|entry| entry.level == "SEVERE").map(|entry| entry.message).collect())
    }

    /// Makes the page believe that the system prefers these colours, and less motion.
    ///
    /// # Errors
    /// When the driver does not answer.
    pub async fn prefer(&self, scheme: Scheme, reduced_motion: bool) -> anyhow::Result<()> {
        let colours = if scheme == Scheme::Dark { "dark" } else { "light" };
        let motion = if reduced_motion { "reduce" } else { "no-preference" };
        let features = json!({"media": "", "features": [
            {"name": "prefers-color-scheme", "value": colours},
            {"name": "prefers-reduced-motion", "value": motion},
        ]});
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Gives the page a size in CSS pixels; below 500 wide it also behaves as on a phone. (A real window cannot be that
    /// narrow.)
    ///
    /// # Errors
    /// When the driver does not answer.
    pub async fn resize(&self, width: u32, height: u32) -> anyhow::Result<()> {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", metrics).await?;
        Ok(())
    }

    /// Saves what the window shows as a PNG.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn screenshot(&self, path: &Path) -> anyhow::Result<()> {
        Ok(self.driver.screenshot(path).await?)
    }
}

impl Drop for Browser {
    /// Ends the session, and with it Chromium, which would outlive its driver.
    ///
    /// The session's own way to end needs the runtime that the test runs on; in a failed test that one stands still, and
    /// the request would time out after two minutes. So it goes over a connection of its own.
    fn drop(&mut self) {
        let session = self.driver.session_id().to_string();
        if self.driver.clone().leak().is_ok()
            && let Err(error) = end_session(self.port, &session)
        {
            eprintln!("the browser may still run: {error:#}");
        }
    }
}

/// Sends `DELETE /session/…` and waits for the answer, which comes when Chromium has ended.
fn end_session(port: u16, session: &str) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "DELETE /session/{session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\n\r\n")?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer)?;
    ensure!(answer.ends_with(b" 200"), "the driver answered {}", String::from_utf8_lossy(&answer));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page that shows what it is told about the system, and says something bad when clicked.
    const PAGE: &str = "data:text/html,<meta name=viewport content='width=device-width'><p id=late></p>\
        <button onclick=\"console.error('oh no');setTimeout(()=>late.textContent='it is late',50)\">b</button>";

    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_is_driven() -> anyhow::Result<()> {
        let browser = Browser::start().await?;
        browser.resize(390, 844).await?;
        browser.prefer(Scheme::Dark, true).await?;
        browser.goto(PAGE).await?;
        assert_eq!(browser.eval("return innerWidth").await?, 390);
        let seen = "return ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'].map(q => matchMedia(q).matches)";
        assert_eq!(browser.eval(seen).await?, json!([true, true]));
        browser.prefer(Scheme::Light, false).await?;
        assert_eq!(browser.eval(seen).await?, json!([false, false]));

        assert!(browser.console_errors().await?.is_empty());
        browser.click("button").await?;
        browser.wait_text("#late", "late").await?;
        let errors = browser.console_errors().await?;
        assert!(errors.len() == 1 && errors[0].contains("oh no"), "{errors:?}");
        Ok(())
    }
}
