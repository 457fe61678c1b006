//! The embedded PostgreSQL, on the real server programs of this machine: it starts, it ends, it survives being killed,
//! and nothing of it is ever left behind.
#![allow(clippy::unwrap_used)]

mod crash;
mod life;
mod support;
