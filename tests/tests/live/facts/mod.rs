//! The facts of PostgreSQL that the picture must get right, each forced and checked on the server that the tests have.
//!
//! An interleaving is forced by waits that were seen in `pg_locks` and by breakpoints, never by sleeping. `hand.rs` has
//! the sessions that are driven by hand.

mod clients;
mod clocks;
mod evidence;
pub(crate) mod hand;
mod horizon;
mod neighbours;
mod recheck;
mod refusals;
mod row_locks;
mod statements;
mod subselect;
