//! Expressions about one row.

use crate::bound::{RelIx, SubKind};
use crate::error::SqlError;
use crate::expr::{Env, Stop, Times};
use crate::value::{Datum, Row};

/// An environment of one row, relation 0: for CHECK, partial indexes and defaults.
pub struct RowEnv<'a> {
    row: Option<&'a Row>,
    times: Times,
}

impl<'a> RowEnv<'a> {
    /// Of a row.
    pub fn new(row: &'a Row) -> RowEnv<'a> {
        RowEnv { row: Some(row), times: Times::default() }
    }
}

impl Env for RowEnv<'_> {
    fn row(&self, rel: RelIx) -> Option<&Row> {
        if rel == 0 { self.row } else { None }
    }

    fn param(&self, _: u16) -> &Datum {
        &Datum::Null
    }

    fn times(&self) -> Times {
        self.times
    }

    fn system(&self, _: RelIx, _: crate::bound::SystemColumn) -> Datum {
        Datum::Null
    }

    fn sub(&mut self, _: u16, _: &SubKind) -> Result<Datum, Stop> {
        Err(SqlError::outside_subset("sub-selects in constraints").into())
    }

    fn act(&mut self, _: crate::bound::Action, _: &[Datum]) -> Result<Datum, Stop> {
        Err(SqlError::outside_subset("functions that act in constraints").into())
    }
}
