//! The page as a person uses it: a real server, a real PostgreSQL, a real Chromium.

mod looks;
mod mishaps;
mod modes;
mod page;
