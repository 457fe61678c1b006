//! A stand-in for the database, events made up from a seed, and a client that can say anything.

#![allow(dead_code, unused_imports, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used)]

mod engine;
mod events;
mod server;

pub(crate) use engine::StandIn;
pub(crate) use events::{Dice, made_up};
pub(crate) use server::{Reply, Server};
