//! The live engine on a real PostgreSQL: the one that `ROWLOCK_PG_BIN` names, else the newest found.
//!
//! `cargo xtask test` runs these against every version found. An interleaving is forced by breakpoints and by waits that
//! were seen in `pg_locks`, never by sleeping.

mod cases;
mod crashes;
mod elsewhere;
mod facts;
mod knobs;
mod modes;
mod points;
mod server;
