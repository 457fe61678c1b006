//! What a statement means: names looked up, types decided, nothing left of the text.
//!
//! Every table, sub-select, CTE reference or VALUES list in a statement is a *relation* with a number of its own in the
//! whole statement ([`RelIx`]); while the statement runs, each has one current row. A column reference is therefore a
//! relation and a position, also from inside a correlated sub-select or a LATERAL item: nothing is ever flattened.

mod expr;
mod query;
mod statement;

pub use expr::*;
pub use query::*;
pub use statement::*;
