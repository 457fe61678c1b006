//! x

/// A PostgreSQL of one's own: found, started, kept alive, ended.
pub mod cluster;
