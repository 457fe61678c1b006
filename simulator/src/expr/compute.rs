//! Order and arithmetic.

use crate::bound::ArithmeticOp;
use crate::error::SqlError;
use crate::value::{Datum, Scalar, Type};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use std::cmp::Ordering;
use std::rc::Rc;

/// The order of two values of one kind, neither NULL. Text compares by bytes, as in the C collation.
pub fn compare(a: &Datum, b: &Datum) -> Ordering {
    match (a, b) {
        (Datum::Int(a), Datum::Int(b))
        | (Datum::Time(a), Datum::Time(b))
        | (Datum::Interval(a), Datum::Interval(b)) => a.cmp(b),
        (Datum::Text(a), Datum::Text(b)) => a.cmp(b),
        (Datum::Bool(a), Datum::Bool(b)) => a.cmp(b),
        (Datum::Tid(page, slot), Datum::Tid(other, place)) => (page, slot).cmp(&(other, place)),
        (Datum::Array(a), Datum::Array(b)) => {
            let first = a.iter().zip(b.iter()).map(|(a, b)| nulls_last(a, b)).find(|order| order.is_ne());
            first.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Datum::Float(a), b) => a.total_cmp(&float(b)),
        (a, Datum::Float(b)) => float(a).total_cmp(b),
        _ => match (decimal(a), decimal(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => rank(a).cmp(&rank(b)),
        },
    }
}

fn nulls_last(a: &Datum, b: &Datum) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (false, false) => compare(a, b),
        (a, b) => a.cmp(&b),
    }
}

/// Values of different kinds do not meet in a bound statement; an order is defined all the same.
fn rank(value: &Datum) -> u8 {
    match value {
        Datum::Null => 9,
        Datum::Bool(_) => 0,
        Datum::Int(_) | Datum::Float(_) | Datum::Numeric(_) => 1,
        Datum::Text(_) => 2,
        Datum::Time(_) => 3,
        Datum::Interval(_) => 4,
        Datum::Tid(..) => 5,
        Datum::Array(_) => 6,
    }
}

/// Whether two values are not distinct: NULL is the same as NULL.
pub fn same(a: &Datum, b: &Datum) -> bool {
    match (a.is_null(), b.is_null()) {
        (false, false) => compare(a, b).is_eq(),
        (a, b) => a == b,
    }
}

/// A number as a decimal.
pub(super) fn decimal(value: &Datum) -> Option<Decimal> {
    match value {
        Datum::Int(n) => Some(Decimal::from(*n)),
        Datum::Numeric(n) => Some(**n),
        Datum::Float(n) => Decimal::try_from(*n).ok(),
        _ => None,
    }
}

/// A number as a float.
pub(super) fn float(value: &Datum) -> f64 {
    match value {
        Datum::Int(n) => *n as f64,
        Datum::Numeric(n) => n.to_f64().unwrap_or(f64::NAN),
        Datum::Float(n) => *n,
        _ => f64::NAN,
    }
}

fn out_of_range(ty: Type) -> SqlError {
    let name = match ty.scalar {
        Scalar::Int2 => "smallint",
        Scalar::Int4 => "integer",
        Scalar::Int8 => "bigint",
        Scalar::Interval => "interval",
        Scalar::Timestamptz => "timestamp",
        _ => "value",
    };
    SqlError::new("22003", format!("{name} out of range"))
}

/// Checks that a whole number fits its type: 22003.
pub(super) fn fit(n: i64, ty: Type) -> Result<Datum, SqlError> {
    let fits = match ty.scalar {
        Scalar::Int2 => i16::try_from(n).is_ok(),
        Scalar::Int4 => i32::try_from(n).is_ok(),
        _ => true,
    };
    if fits { Ok(Datum::Int(n)) } else { Err(out_of_range(ty)) }
}

/// `a op b`, with a result of this type.
pub fn arithmetic(op: ArithmeticOp, ty: Type, a: &Datum, b: &Datum) -> Result<Datum, SqlError> {
    use ArithmeticOp::*;
    if a.is_null() || b.is_null() {
        return Ok(Datum::Null);
    }
    let range = || out_of_range(ty);
    let zero = || SqlError::new("22012", "division by zero");
    if op == Concat {
        return Ok(match (a, b) {
            (Datum::Array(a), Datum::Array(b)) => Datum::Array(Rc::new(a.iter().chain(b.iter()).cloned().collect())),
            (Datum::Array(a), b) => Datum::Array(Rc::new(a.iter().cloned().chain([b.clone()]).collect())),
            (Datum::Text(a), Datum::Text(b)) => Datum::Text(format!("{}{}", &**a, &**b).into()),
            _ => Datum::Null,
        });
    }
    match (a, b) {
        (Datum::Int(a), Datum::Int(b)) if matches!(ty.scalar, Scalar::Int2 | Scalar::Int4 | Scalar::Int8) => {
            let result = match op {
                Add => a.checked_add(*b),
                Sub => a.checked_sub(*b),
                Mul => a.checked_mul(*b),
                Div if *b == 0 => return Err(zero()),
                Mod if *b == 0 => return Err(zero()),
                Div => a.checked_div(*b),
                _ => Some(a.checked_rem(*b).unwrap_or(0)),
            };
            fit(result.ok_or_else(range)?, ty)
        }
        (Datum::Time(a), Datum::Interval(b)) => {
            let result = if op == Sub { a.checked_sub(*b) } else { a.checked_add(*b) };
            Ok(Datum::Time(result.ok_or_else(range)?))
        }
        (Datum::Interval(a), Datum::Time(b)) => Ok(Datum::Time(a.checked_add(*b).ok_or_else(range)?)),
        (Datum::Time(a), Datum::Time(b)) => Ok(Datum::Interval(a.checked_sub(*b).ok_or_else(range)?)),
        (Datum::Interval(a), Datum::Interval(b)) => {
            let result = if op == Sub { a.checked_sub(*b) } else { a.checked_add(*b) };
            Ok(Datum::Interval(result.ok_or_else(range)?))
        }
        (Datum::Interval(a), Datum::Int(b)) | (Datum::Int(b), Datum::Interval(a)) => match op {
            Div if *b == 0 => Err(zero()),
            Div => Ok(Datum::Interval(a / b)),
            _ => Ok(Datum::Interval(a.checked_mul(*b).ok_or_else(range)?)),
        },
        (Datum::Interval(a), b) | (b, Datum::Interval(a)) => {
            let factor = float(b);
            if op == Div && factor == 0.0 {
                return Err(zero());
            }
            let result = if op == Div { *a as f64 / factor } else { *a as f64 * factor };
            Ok(Datum::Interval(result.round_ties_even() as i64))
        }
        _ if ty.scalar == Scalar::Float8 => {
            let (a, b) = (float(a), float(b));
            if matches!(op, Div | Mod) && b == 0.0 {
                return Err(zero());
            }
            Ok(Datum::Float(match op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Div => a / b,
                _ => a % b,
            }))
        }
        _ => {
            let (Some(a), Some(b)) = (decimal(a), decimal(b)) else { return Ok(Datum::Null) };
            let result = match op {
                Add => a.checked_add(b),
                Sub => a.checked_sub(b),
                Mul => a.checked_mul(b),
                _ if b.is_zero() => return Err(zero()),
                Div => a.checked_div(b),
                _ => a.checked_rem(b),
            };
            Ok(Datum::Numeric(Rc::new(result.ok_or_else(range)?)))
        }
    }
}
