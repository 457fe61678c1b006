//! Functions that return rows.

use crate::expr::Stop;
use crate::value::{Datum, Row};
use std::rc::Rc;

/// The rows of unnest.
pub(super) fn unnest_rows(arrays: &[Datum]) -> Vec<Row> {
    let items = |array: &Datum| match array {
        Datum::Array(items) => items.clone(),
        _ => Rc::default(),
    };
    let columns: Vec<Rc<Vec<Datum>>> = arrays.iter().map(items).collect();
    let longest = columns.iter().map(|column| column.len()).max().unwrap_or(0);
    (0..longest).map(|n| columns.iter().map(|column| column.get(n).cloned().unwrap_or(Datum::Null)).collect()).collect()
}

/// Most rows that one generate_series may give.
const SERIES: i64 = 10_000_000;

/// The rows of generate_series.
pub(super) fn series_rows(args: &[Datum]) -> Result<Vec<Row>, Stop> {
    let (from, to, step) = match args {
        [Datum::Int(from), Datum::Int(to)] => (*from, *to, 1),
        [Datum::Int(from), Datum::Int(to), Datum::Int(step)] => (*from, *to, *step),
        _ => return Ok(Vec::new()),
    };
    if step == 0 {
        return Err(crate::error::SqlError::new("22023", "step size cannot equal zero").into());
    }
    let count = ((to.saturating_sub(from)) / step).saturating_add(1);
    if count > SERIES {
        return Err(
            crate::error::SqlError::outside_subset(format!("more than {SERIES} rows of generate_series")).into()
        );
    }
    Ok((0..count.max(0)).map(|n| Row::from([Datum::Int(from + n * step)])).collect())
}
