//! Conformance: recorded behaviour of a real PostgreSQL, run on an engine and compared step by step.
//!
//! [`record`] reads the records (format `rowlock-iso/1`), [`lab`] is what an engine has to offer, [`run`] is the one body that
//! runs a record on any of them, [`compare`] says where the two differ. [`simulated`] is the simulator's lab; the live one is in
//! the backend, where sqlx is.

pub mod compare;
pub mod lab;
pub mod record;
pub mod run;
pub mod simulated;
