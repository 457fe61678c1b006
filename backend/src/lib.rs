//! x

/// A PostgreSQL of one's own: found, started, kept alive, ended.
pub mod cluster;
/// The queue program on a real PostgreSQL.
pub mod live;
