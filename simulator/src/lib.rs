//! The simulated database: PostgreSQL's row locks, small enough to run in a browser and held to recorded PostgreSQL.
//!
//! Read bottom up: [`value`] (types and values), [`error`] (SQLSTATEs), [`catalog`] (tables and indexes), [`bound`]
//! (what a statement means, after its names were looked up), [`sql`] (text to bound statement), [`expr`] (evaluation),
//! then storage, locks and execution.
//!
//! The database is a plain value: no async, no clock, no randomness. Time is an argument, a statement is a resumable step
//! that says done, error or blocked by whom.

pub mod bound;
pub mod catalog;
pub mod control;
pub mod database;
pub mod engine;
pub mod error;
pub mod exec;
pub mod expr;
pub mod locks;
pub mod plan;
pub mod portal;
pub mod settings;
pub mod sql;
pub mod storage;
pub mod value;
