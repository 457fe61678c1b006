//! Casts, and the text forms of values: timestamps in UTC, ISO style, as PostgreSQL prints them with those settings.

use super::compute::{decimal, fit, float};
use crate::error::SqlError;
use crate::value::{Datum, Scalar, Type};
use rust_decimal::prelude::{FromPrimitive, ToPrimitive};
use rust_decimal::{Decimal, RoundingStrategy};
use std::fmt::Write;
use std::rc::Rc;
use std::str::FromStr;

const DAY: i64 = 86_400_000_000;

/// The name of a type, as errors print it.
pub(crate) fn type_name(ty: Type) -> String {
    let name = match ty.scalar {
        Scalar::Unknown => "unknown",
        Scalar::Bool => "boolean",
        Scalar::Int2 => "smallint",
        Scalar::Int4 => "integer",
        Scalar::Int8 => "bigint",
        Scalar::Numeric => "numeric",
        Scalar::Float8 => "double precision",
        Scalar::Text => "text",
        Scalar::Timestamptz => "timestamp with time zone",
        Scalar::Interval => "interval",
        Scalar::Jsonb => "jsonb",
        Scalar::Void => "void",
        Scalar::Tid => "tid",
        Scalar::Xid => "xid",
    };
    format!("{name}{}", if ty.array { "[]" } else { "" })
}

/// Parameters as the statement wants them.
pub fn params(given: &[Datum], types: &[Type]) -> Result<Vec<Datum>, SqlError> {
    if given.len() < types.len() {
        let message =
            format!("bind message supplies {} parameters, but the statement requires {}", given.len(), types.len());
        return Err(SqlError::new("08P01", message));
    }
    given
        .iter()
        .zip(types)
        .map(|(value, ty)| match value {
            Datum::Text(text) if ty.array || !matches!(ty.scalar, Scalar::Text | Scalar::Unknown | Scalar::Jsonb) => {
                input_text(text, *ty)
            }
            value => cast(value, *ty),
        })
        .collect()
}

/// A value as another type.
pub fn cast(value: &Datum, ty: Type) -> Result<Datum, SqlError> {
    if value.is_null() {
        return Ok(Datum::Null);
    }
    if ty.array {
        return match value {
            Datum::Array(items) => {
                let element = Type::of(ty.scalar);
                Ok(Datum::Array(Rc::new(items.iter().map(|item| cast(item, element)).collect::<Result<_, _>>()?)))
            }
            Datum::Text(text) => input_text(text, ty),
            _ => Err(cannot(ty)),
        };
    }
    let whole = |n: Option<i64>| {
        n.ok_or_else(|| SqlError::new("22003", format!("{} out of range", type_name(ty)))).and_then(|n| fit(n, ty))
    };
    match (ty.scalar, value) {
        (Scalar::Unknown, value) => Ok(value.clone()),
        (Scalar::Int2 | Scalar::Int4 | Scalar::Int8 | Scalar::Xid, value) => match value {
            Datum::Int(n) => fit(*n, ty),
            Datum::Numeric(n) => whole(n.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero).to_i64()),
            Datum::Float(n) if n.is_finite() && n.abs() < 9.3e18 => whole(Some(n.round_ties_even() as i64)),
            Datum::Float(_) => whole(None),
            Datum::Bool(value) => Ok(Datum::Int(i64::from(*value))),
            Datum::Text(text) => input_text(text, ty),
            _ => Err(cannot(ty)),
        },
        (Scalar::Numeric, value) => match value {
            Datum::Text(text) => input_text(text, ty),
            value => decimal(value).map(|n| Datum::Numeric(Rc::new(n))).ok_or_else(|| cannot(ty)),
        },
        (Scalar::Float8, Datum::Text(text)) => input_text(text, ty),
        (Scalar::Float8, value) => Ok(Datum::Float(float(value))),
        (Scalar::Bool, Datum::Bool(_)) => Ok(value.clone()),
        (Scalar::Bool, Datum::Int(n)) => Ok(Datum::Bool(*n != 0)),
        (Scalar::Text | Scalar::Jsonb, Datum::Text(_)) => Ok(value.clone()),
        (Scalar::Text | Scalar::Jsonb, value) => Ok(Datum::Text(output_text(value, natural(value)).into())),
        (Scalar::Timestamptz, Datum::Time(_))
        | (Scalar::Interval, Datum::Interval(_))
        | (Scalar::Tid, Datum::Tid(..)) => Ok(value.clone()),
        (Scalar::Void, _) => Ok(value.clone()),
        (_, Datum::Text(text)) => input_text(text, ty),
        _ => Err(cannot(ty)),
    }
}

fn cannot(ty: Type) -> SqlError {
    SqlError::new("42846", format!("cannot cast to type {}", type_name(ty)))
}

/// The type that a value has by itself.
fn natural(value: &Datum) -> Type {
    match value {
        Datum::Array(items) => {
            Type::array_of(items.iter().find(|item| !item.is_null()).map_or(Scalar::Text, |item| natural(item).scalar))
        }
        Datum::Bool(_) => Type::of(Scalar::Bool),
        Datum::Int(_) => Type::of(Scalar::Int8),
        Datum::Float(_) => Type::of(Scalar::Float8),
        Datum::Numeric(_) => Type::of(Scalar::Numeric),
        Datum::Time(_) => Type::of(Scalar::Timestamptz),
        Datum::Interval(_) => Type::of(Scalar::Interval),
        Datum::Tid(..) => Type::of(Scalar::Tid),
        Datum::Null | Datum::Text(_) => Type::of(Scalar::Text),
    }
}

/// A value's text form; NULL has none and prints as nothing.
pub fn output_text(value: &Datum, ty: Type) -> String {
    match value {
        Datum::Null => String::new(),
        Datum::Int(_) if ty.scalar == Scalar::Void && !ty.array => String::new(),
        Datum::Int(n) => n.to_string(),
        Datum::Bool(value) => if *value { "t" } else { "f" }.to_owned(),
        Datum::Float(n) => n.to_string(),
        Datum::Numeric(n) => n.to_string(),
        Datum::Text(text) => text.to_string(),
        Datum::Time(us) => time_text(*us),
        Datum::Interval(us) => interval_text(*us),
        Datum::Tid(page, slot) => format!("({page},{slot})"),
        Datum::Array(items) => {
            let element = Type::of(ty.scalar);
            let items: Vec<String> = items
                .iter()
                .map(|item| match item {
                    Datum::Null => "NULL".to_owned(),
                    Datum::Text(text) => quoted(text),
                    other => output_text(other, element),
                })
                .collect();
            format!("{{{}}}", items.join(","))
        }
    }
}

fn quoted(text: &str) -> String {
    let plain =
        !text.is_empty() && !text.eq_ignore_ascii_case("null") && !text.contains(['{', '}', ',', '"', '\\', ' ']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}

/// Fractions of a second as PostgreSQL prints them: without zeros at the end.
fn fraction(out: &mut String, us: i64) {
    if us > 0 {
        let digits = format!("{us:06}");
        let _ = write!(out, ".{}", digits.trim_end_matches('0'));
    }
}

fn time_text(us: i64) -> String {
    let (days, rest) = (us.div_euclid(DAY), us.rem_euclid(DAY));
    let (year, month, day) = civil(days);
    let seconds = rest / 1_000_000;
    let mut out =
        format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    fraction(&mut out, rest % 1_000_000);
    out.push_str("+00");
    out
}

fn interval_text(us: i64) -> String {
    let sign = if us < 0 { "-" } else { "" };
    let us = us.unsigned_abs() as i64;
    let seconds = us / 1_000_000;
    let mut out = format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    fraction(&mut out, us % 1_000_000);
    out
}

/// Year, month and day of a day number from 1970 on, in the proleptic Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    let mut year = 1970 + days.div_euclid(366);
    while days_before(year + 1) <= days {
        year += 1;
    }
    let mut rest = days - days_before(year);
    let mut month = 0;
    while rest >= month_days(year, month) {
        rest -= month_days(year, month);
        month += 1;
    }
    (year, month + 1, rest + 1)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days from 1970-01-01 to the first of January of a year.
fn days_before(year: i64) -> i64 {
    let leaps = |year: i64| (year - 1).div_euclid(4) - (year - 1).div_euclid(100) + (year - 1).div_euclid(400);
    (year - 1970) * 365 + leaps(year) - leaps(1970)
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        1 if is_leap(year) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// Reads a value's text form: 22P02, 22007 if it is none.
pub fn input_text(text: &str, ty: Type) -> Result<Datum, SqlError> {
    let bad = || SqlError::new("22P02", format!("invalid input syntax for type {}: \"{text}\"", type_name(ty)));
    if ty.array {
        let inner = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(bad)?;
        let element = Type::of(ty.scalar);
        let items = if inner.is_empty() { Vec::new() } else { inner.split(',').collect() };
        let item = |item: &str| match item.trim() {
            null if null.eq_ignore_ascii_case("null") => Ok(Datum::Null),
            item => input_text(item.trim_matches('"'), element),
        };
        return Ok(Datum::Array(Rc::new(items.into_iter().map(item).collect::<Result<_, _>>()?)));
    }
    let trimmed = text.trim();
    match ty.scalar {
        Scalar::Unknown | Scalar::Text | Scalar::Jsonb => Ok(Datum::Text(text.into())),
        Scalar::Int2 | Scalar::Int4 | Scalar::Int8 | Scalar::Xid => {
            let n = i64::from_str(trimmed).map_err(|error| match error.kind() {
                std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                    SqlError::new("22003", format!("value \"{text}\" is out of range for type {}", type_name(ty)))
                }
                _ => bad(),
            })?;
            fit(n, ty)
        }
        Scalar::Numeric => Ok(Datum::Numeric(Rc::new(Decimal::from_str(trimmed).map_err(|_| bad())?))),
        Scalar::Float8 => f64::from_str(trimmed).map(Datum::Float).map_err(|_| bad()),
        Scalar::Bool => match trimmed.to_lowercase().as_str() {
            "t" | "true" | "yes" | "on" | "1" => Ok(Datum::Bool(true)),
            "f" | "false" | "no" | "off" | "0" => Ok(Datum::Bool(false)),
            _ => Err(bad()),
        },
        Scalar::Interval => {
            interval_input(trimmed).map(Datum::Interval).ok_or_else(|| SqlError::new("22007", bad().message))
        }
        Scalar::Timestamptz => {
            time_input(trimmed).map(Datum::Time).ok_or_else(|| SqlError::new("22007", bad().message))
        }
        Scalar::Tid => {
            let inner = trimmed.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(bad)?;
            let (page, slot) = inner.split_once(',').ok_or_else(bad)?;
            Ok(Datum::Tid(page.trim().parse().map_err(|_| bad())?, slot.trim().parse().map_err(|_| bad())?))
        }
        Scalar::Void => Err(bad()),
    }
}

/// `1 microsecond`, `2 hours 5 min`, `00:00:01.5`, `1.5 s`; months and years are outside the subset.
fn interval_input(text: &str) -> Option<i64> {
    if text.contains(':') {
        let (sign, rest) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let parts: Vec<&str> = rest.split(':').collect();
        let number = |part: &&str| Decimal::from_str(part).ok();
        let values: Vec<Decimal> = parts.iter().map(number).collect::<Option<_>>()?;
        let seconds = match values[..] {
            [h, m] => h * Decimal::from(3600) + m * Decimal::from(60),
            [h, m, s] => h * Decimal::from(3600) + m * Decimal::from(60) + s,
            _ => return None,
        };
        return (seconds * Decimal::from(1_000_000)).to_i64().map(|us| sign * us);
    }
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        // A number may stand against its unit: 10ms.
        let split = word.find(|c: char| c.is_alphabetic()).unwrap_or(word.len());
        for part in [&word[..split], &word[split..]] {
            if !part.is_empty() {
                words.push(part);
            }
        }
    }
    let mut total = Decimal::ZERO;
    if let [number] = words[..] {
        return (Decimal::from_str(number).ok()? * Decimal::from(1_000_000)).to_i64();
    }
    if words.is_empty() {
        return None;
    }
    for pair in words.chunks(2) {
        let [number, unit] = pair else { return None };
        let factor: i64 = match unit.to_lowercase().as_str() {
            "microsecond" | "microseconds" | "us" | "usec" | "usecs" => 1,
            "millisecond" | "milliseconds" | "ms" | "msec" | "msecs" => 1_000,
            "second" | "seconds" | "s" | "sec" | "secs" => 1_000_000,
            "minute" | "minutes" | "m" | "min" | "mins" => 60_000_000,
            "hour" | "hours" | "h" | "hr" | "hrs" => 3_600_000_000,
            "day" | "days" | "d" => DAY,
            "week" | "weeks" | "w" => 7 * DAY,
            _ => return None,
        };
        total += Decimal::from_str(number).ok()? * Decimal::from_i64(factor)?;
    }
    total.to_i64()
}

/// `2026-01-02`, `2026-01-02 03:04:05.678`, with `+00`, `Z` or an offset of hours.
fn time_input(text: &str) -> Option<i64> {
    let (date, time) = text.split_once([' ', 'T']).unwrap_or((text, "00:00:00"));
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || !(1..=12).contains(&month) || day < 1 || day > month_days(year, month - 1) {
        return None;
    }
    let time = time.trim_end_matches('Z').trim();
    let (clock, offset) = match time.find(['+', '-']) {
        Some(at) => (&time[..at], time[at..].split(':').next()?.parse::<i64>().ok()?),
        None => (time, 0),
    };
    let days = days_before(year) + (0..month - 1).map(|month| month_days(year, month)).sum::<i64>() + day - 1;
    let clock = interval_input(if clock.contains(':') { clock } else { "00:00" })?;
    Some(days * DAY + clock - offset * 3_600_000_000)
}
