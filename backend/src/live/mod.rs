//! The live engine: the queue program on a real PostgreSQL.
//!
//! [`Postgres`] is one server; [`start`] starts a run on it, on a thread of its own, and hands its events to a channel.
//! Read `driver.rs` first, then `session.rs` (the program's `Session` over a bare connection), `points.rs` (breakpoints)
//! and `observer/` (what the system views say, as events). Only this module names the database driver.

mod clock;
mod driver;
mod error;
mod observer;
mod outbox;
mod postgres;
mod schema;
mod session;
mod store;

pub use driver::{LiveRun, MAX_EVENTS, start};
pub use error::LiveError;
pub use postgres::Postgres;
pub use schema::prepare;
pub use store::{Keep, Presence, Store, StoredRun};
