//! Types and values.

use rust_decimal::Decimal;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// A scalar type of the subset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A literal or parameter whose type nothing has decided yet.
    Unknown,
    /// boolean
    Bool,
    /// smallint
    Int2,
    /// integer
    Int4,
    /// bigint
    Int8,
    /// numeric
    Numeric,
    /// double precision
    Float8,
    /// text (varchar and char are treated as text)
    Text,
    /// timestamp with time zone
    Timestamptz,
    /// interval, without months
    Interval,
    /// jsonb, opaque
    Jsonb,
    /// What a function returns that returns nothing; prints as the empty string.
    Void,
    /// A tuple's address.
    Tid,
    /// A transaction id.
    Xid,
}

/// A type: a scalar or an array of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type {
    /// The scalar, or the array's element.
    pub scalar: Scalar,
    /// Whether it is an array.
    pub array: bool,
}

impl Type {
    /// A scalar type.
    pub const fn of(scalar: Scalar) -> Type {
        Type { scalar, array: false }
    }

    /// An array type.
    pub const fn array_of(scalar: Scalar) -> Type {
        Type { scalar, array: true }
    }
}

/// Immutable text, cheap to copy: one word.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Rc<Box<str>>);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(Rc::new(text.into()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(Rc::new(text.into()))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// A value. Two words, and cloning never allocates.
#[derive(Debug, Clone)]
pub enum Datum {
    /// NULL
    Null,
    /// boolean
    Bool(bool),
    /// smallint, integer, bigint, xid; and void as 0
    Int(i64),
    /// double precision
    Float(f64),
    /// numeric
    Numeric(Rc<Decimal>),
    /// text, and jsonb as its text
    Text(Text),
    /// timestamptz: µs since 1970-01-01 00:00 UTC
    Time(i64),
    /// interval: µs
    Interval(i64),
    /// A tuple's address: page and slot
    Tid(u32, u16),
    /// An array
    Array(Rc<Vec<Datum>>),
}

impl Datum {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }

    /// Whether it is false: NULL is not.
    pub fn is_false(&self) -> bool {
        matches!(self, Datum::Bool(false))
    }

    /// Whether it is true: NULL and false are not.
    pub fn is_true(&self) -> bool {
        matches!(self, Datum::Bool(true))
    }
}

/// A row of values, shared by whoever looks at it.
pub type Row = Rc<[Datum]>;
