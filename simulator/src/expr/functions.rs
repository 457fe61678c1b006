//! Functions that only compute.

use super::compute::{compare, decimal, fit};
use super::convert::output_text;
use super::{Stop, Times};
use crate::bound::Function;
use crate::error::SqlError;
use crate::value::{Datum, Scalar, Type};
use rust_decimal::Decimal;
use std::cmp::Ordering;
use std::rc::Rc;

const INT8: Type = Type::of(Scalar::Int8);

/// Calls a function.
pub(super) fn call(function: Function, args: &[Datum], times: Times) -> Result<Datum, Stop> {
    use Function::*;
    let null = args.iter().any(Datum::is_null);
    if null && !matches!(function, Concat | Greatest | Least | NullIf | JsonbBuildObject) {
        return Ok(Datum::Null);
    }
    let text = |at: usize| match args.get(at) {
        Some(Datum::Text(text)) => &**text,
        _ => "",
    };
    Ok(match function {
        Now => Datum::Time(times.transaction),
        StatementTime => Datum::Time(times.statement),
        ClockTime => Datum::Time(times.clock),
        Epoch => match &args[0] {
            Datum::Time(us) | Datum::Interval(us) => {
                Datum::Numeric(Rc::new(Decimal::from_i128_with_scale(i128::from(*us), 6)))
            }
            _ => Datum::Null,
        },
        Abs => match &args[0] {
            Datum::Int(n) => Datum::Int(n.checked_abs().ok_or_else(|| SqlError::new("22003", "bigint out of range"))?),
            Datum::Float(n) => Datum::Float(n.abs()),
            Datum::Numeric(n) => Datum::Numeric(Rc::new(n.abs())),
            _ => Datum::Null,
        },
        Negate => match &args[0] {
            Datum::Int(n) => Datum::Int(n.checked_neg().ok_or_else(|| SqlError::new("22003", "bigint out of range"))?),
            Datum::Float(n) => Datum::Float(-n),
            Datum::Interval(n) => Datum::Interval(-n),
            other => decimal(other).map_or(Datum::Null, |n| Datum::Numeric(Rc::new(-n))),
        },
        Length => Datum::Int(text(0).chars().count() as i64),
        Lower => Datum::Text(text(0).to_lowercase().into()),
        Upper => Datum::Text(text(0).to_uppercase().into()),
        Concat => {
            let parts = args.iter().map(|arg| output_text(arg, Type::of(Scalar::Unknown)));
            Datum::Text(parts.collect::<String>().into())
        }
        Greatest => pick(args, Ordering::Greater),
        Least => pick(args, Ordering::Less),
        NullIf => match args {
            [a, b] if !a.is_null() && !b.is_null() && compare(a, b).is_eq() => Datum::Null,
            _ => args[0].clone(),
        },
        ArrayLength | Cardinality => match &args[0] {
            Datum::Array(items) if items.is_empty() && function == ArrayLength => Datum::Null,
            Datum::Array(items) => Datum::Int(items.len() as i64),
            _ => Datum::Null,
        },
        Repeat => {
            let Datum::Int(times) = args[1] else { return Ok(Datum::Null) };
            let times = times.clamp(0, 1_000_000) as usize;
            Datum::Text(text(0).repeat(times).into())
        }
        Mod => match (&args[0], &args[1]) {
            (Datum::Int(_), Datum::Int(0)) => return Err(SqlError::new("22012", "division by zero").into()),
            (Datum::Int(a), Datum::Int(b)) => fit(a.checked_rem(*b).unwrap_or(0), INT8)?,
            _ => Datum::Null,
        },
        // FNV-1a: the same on every machine.
        HashText => {
            let hash =
                text(0).bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
            Datum::Int(i64::from(hash as i32))
        }
        JsonbBuildObject => Datum::Text(object(args).into()),
        Version => Datum::Text("PostgreSQL, simulated by Rowlock".into()),
    })
}

fn pick(args: &[Datum], wanted: Ordering) -> Datum {
    let mut best: Option<&Datum> = None;
    for arg in args.iter().filter(|arg| !arg.is_null()) {
        if best.is_none_or(|best| compare(arg, best) == wanted) {
            best = Some(arg);
        }
    }
    best.cloned().unwrap_or(Datum::Null)
}

fn object(args: &[Datum]) -> String {
    let mut out = String::from("{");
    for (n, pair) in args.chunks(2).enumerate() {
        if n > 0 {
            out.push_str(", ");
        }
        out.push_str(&quote(&output_text(&pair[0], Type::of(Scalar::Unknown))));
        out.push_str(": ");
        match pair.get(1) {
            None | Some(Datum::Null) => out.push_str("null"),
            Some(Datum::Bool(value)) => out.push_str(if *value { "true" } else { "false" }),
            Some(number @ (Datum::Int(_) | Datum::Float(_) | Datum::Numeric(_))) => {
                out.push_str(&output_text(number, Type::of(Scalar::Unknown)));
            }
            Some(other) => out.push_str(&quote(&output_text(other, Type::of(Scalar::Unknown)))),
        }
    }
    out.push('}');
    out
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// LIKE: `%` any text, `_` any character, `\` takes the next one as it is.
pub(super) fn like(text: &str, pattern: &str) -> bool {
    fn matches(text: &[char], pattern: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('%', rest)) => (0..=text.len()).any(|skip| matches(&text[skip..], rest)),
            Some(('_', rest)) => !text.is_empty() && matches(&text[1..], rest),
            Some(('\\', rest)) if !rest.is_empty() => text.first() == rest.first() && matches(&text[1..], &rest[1..]),
            Some((c, rest)) => text.first() == Some(c) && matches(&text[1..], rest),
        }
    }
    matches(&text.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>())
}
