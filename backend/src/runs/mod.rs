//! Runs: started, watched, stopped, kept, forgotten.
//!
//! [`Runs`] is the registry that HTTP and command line talk to. A run's events arrive through a channel and go into its
//! [`Hub`], which folds the world and lets any number of [`Viewer`]s read the log, each at its own pace. What lies below
//! (a database to play on and to keep runs in) is an [`Engine`], reached through a [`Database`] that may be down for a
//! while. Read `hub.rs` first, then `viewer.rs`, `registry.rs`, `keeper.rs`.
//!
//! What holds at all times:
//! - Nothing that a viewer does or fails to do slows a run: the run sends into a channel that is never full.
//! - A viewer gets every event once and in order, or a snapshot in place of those that it was too slow for, with a count.
//! - A run that ended is kept in memory until it is in the database.

mod database;
mod engine;
mod entry;
mod error;
mod hub;
mod keeper;
mod limits;
mod log;
mod registry;
mod viewer;

pub use database::{Database, LiveDatabase};
pub use engine::{Answer, Engine, Player};
pub use error::RunError;
pub use hub::{Hub, Tip};
pub use limits::Limits;
pub use log::Segment;
pub use registry::Runs;
pub use viewer::{FRAME, MAX_BEHIND, Viewer};

/// What passes between here and [`crate::live`].
pub use crate::live::{Keep, StoredRun};
