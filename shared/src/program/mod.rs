//! The queue program: worker, producer, reaper and the others, written once over [`Session`] and [`Clock`].
//!
//! No database and no clock is named here; whoever runs it (real transactions or the simulator) brings both, and the
//! [`Points`] at which a run can be paused or crashed. Read `worker.rs` first: it reads like the pseudo-code of a text
//! book; then `claim.rs`, the part that the modes differ in.

mod board;
mod breakpoints;
mod claim;
mod others;
mod point;
mod pulse;
pub mod race;
mod run;
mod session;
mod settle;
mod worker;

pub use board::{Board, Doing};
pub use breakpoints::Breakpoints;
pub use others::{bystander, heartbeat, listener, producer, reaper, umpire};
pub use point::Point;
pub use pulse::Pulse;
pub use run::{Engine, Knobs, Run};
pub use session::{Answer, Call, Clock, Database, Listener, Passage, Points, Session, Value};
pub use worker::{EFFECTS, worker};
