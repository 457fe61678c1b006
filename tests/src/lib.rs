//! What the end-to-end tests share: a Rowlock of their own, and a browser of their own.
//!
//! - [`App`] starts the server that cargo built, on a free port and with a cache folder nobody else uses, and stops it.
//! - [`Browser`] starts a headless Chromium through its driver, and ends both.
//! - `process` is what they have in common: a child that is gone when its owner is, whatever the test does.
//!
//! The tests themselves are in `tests/`; `cargo xtask test` builds the server and installs the browser before it runs them.

mod app;
mod browser;
mod process;

pub use app::App;
pub use browser::{Browser, PATIENCE, Scheme};
