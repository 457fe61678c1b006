//! What page and server agree on, without any I/O: it builds for WebAssembly and natively, with no runtime, no database
//! driver, no DOM and no wall clock.
//!
//! Bottom up: [`ids`]; [`scenario`] (every knob, one seed); [`sql`] (the statements); [`event`] (what happened);
//! [`program`] (the queue program over `Session`, `Clock` and `Points`); [`world`] (the fold of events into a picture);
//! [`wire`] (messages between page and server); [`text`] (the message catalogue); [`narrate`] (events as sentences). Read [`event`] first, then
//! [`program`].

pub mod event;
pub mod ids;
pub mod narrate;
pub mod program;
pub mod scenario;
#[cfg(test)]
mod script;
pub mod sql;
pub mod text;
pub mod wire;
pub mod world;
