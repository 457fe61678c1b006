//! The Rowlock server and command line.
//!
//! Layers, each of which knows only those below it: `main` → [`cli`] and [`http`] → [`runs`] → [`live`] → [`cluster`].
//! Only [`http`] names the web framework, only [`live`] the database driver. Read [`runs`] first: a run is a channel of
//! events, and everything else either fills that channel or reads what came out of it.

/// The command line.
pub mod cli;
/// A PostgreSQL of one's own: found, started, kept alive, ended.
pub mod cluster;
/// Page, REST and WebSocket.
pub mod http;
/// The queue program on a real PostgreSQL.
pub mod live;
/// Runs: started, watched, stopped, kept, forgotten.
pub mod runs;
