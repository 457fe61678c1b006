//! Storage as PostgreSQL has it: transactions, tuple versions, indexes.

pub mod heap;
pub mod index;
pub mod table;
pub mod tuple;
pub mod visibility;
pub mod xact;
