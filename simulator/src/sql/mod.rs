//! Text to bound statement.
