//! Expressions.

use crate::value::{Datum, Type};

/// A relation's number in its statement.
pub type RelIx = u16;

/// An expression.
#[derive(Debug, Clone)]
pub enum Expr {
    /// A constant.
    Const(Datum),
    /// A parameter; `$1` is 0. Its value is converted to `ty` when the statement starts.
    Param(u16),
    /// A column of a relation's current row.
    Column(RelIx, u16),
    /// ctid, xmin or xmax of a table's current row.
    System(RelIx, SystemColumn),
    /// AND / OR of two or more.
    And(Vec<Expr>),
    /// See [`Expr::And`].
    Or(Vec<Expr>),
    /// NOT
    Not(Box<Expr>),
    /// IS NULL; IS NOT NULL is `Not` of it.
    IsNull(Box<Expr>),
    /// IS [NOT] DISTINCT FROM: distinct when true.
    IsDistinct(Box<Expr>, Box<Expr>),
    /// = <> < <= > >=
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// Arithmetic, concatenation, with the type of the result (int4 overflows at 2^31: 22003).
    Arithmetic(ArithmeticOp, Type, Box<Expr>, Box<Expr>),
    /// `left op ANY (array)`; with `all`, `left op ALL (array)`.
    Quantified {
        /// The operator.
        op: CompareOp,
        /// ALL, not ANY.
        all: bool,
        /// The left side.
        left: Box<Expr>,
        /// The array.
        array: Box<Expr>,
    },
    /// `left IN (a, b, …)`
    InList(Box<Expr>, Vec<Expr>),
    /// LIKE (a constant or not).
    Like(Box<Expr>, Box<Expr>),
    /// CASE; a simple CASE is bound as comparisons.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// coalesce
    Coalesce(Vec<Expr>),
    /// CAST: from its type to another.
    Cast(Box<Expr>, Type),
    /// ARRAY[…]
    Array(Vec<Expr>),
    /// A function without side effects, of its arguments and the statement's times only.
    Call(Function, Vec<Expr>),
    /// A function that acts on the session or on shared state; each evaluation counts.
    Act(Action, Vec<Expr>),
    /// A sub-select as a value; the number is its place in [`Statement::subplans`].
    Sub(u16, SubKind),
}

/// A system column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemColumn {
    /// The tuple's address.
    Ctid,
    /// The transaction that made this version.
    Xmin,
    /// The transaction that replaced, deleted or locked it.
    Xmax,
}

/// How a sub-select becomes a value.
#[derive(Debug, Clone)]
pub enum SubKind {
    /// One row's one column, NULL if there is none; more than one row is 21000.
    Scalar,
    /// EXISTS
    Exists,
    /// ARRAY(SELECT …)
    Array,
    /// `left IN (SELECT …)`; `= ANY (SELECT …)` is the same.
    In(Box<Expr>),
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Arithmetic operators and `||`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ArithmeticOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Concat,
}

/// Functions that compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// now(), current_timestamp, transaction_timestamp(): the start of the transaction.
    Now,
    /// statement_timestamp()
    StatementTime,
    /// clock_timestamp()
    ClockTime,
    /// extract(epoch FROM timestamptz | interval)
    Epoch,
    /// abs
    Abs,
    /// length(text)
    Length,
    /// lower(text)
    Lower,
    /// upper(text)
    Upper,
    /// concat(…): NULLs are left out
    Concat,
    /// greatest
    Greatest,
    /// least
    Least,
    /// nullif(a, b)
    NullIf,
    /// array_length(array, 1)
    ArrayLength,
    /// cardinality(array)
    Cardinality,
    /// repeat(text, int)
    Repeat,
    /// mod(a, b)
    Mod,
    /// hashtext(text): stable, not PostgreSQL's number
    HashText,
    /// jsonb_build_object(…)
    JsonbBuildObject,
    /// to_char is outside; this is version()
    Version,
    /// Unary minus
    Negate,
}

/// Functions that act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// pg_advisory_lock and its kin: `shared`, `xact`, `attempt` (try: no wait).
    AdvisoryLock {
        /// Shared, not exclusive.
        shared: bool,
        /// Released at the end of the transaction.
        xact: bool,
        /// pg_try_…: returns false instead of waiting.
        attempt: bool,
    },
    /// pg_advisory_unlock(_shared)
    AdvisoryUnlock {
        /// Shared, not exclusive.
        shared: bool,
    },
    /// pg_advisory_unlock_all()
    AdvisoryUnlockAll,
    /// pg_notify(channel, payload)
    Notify,
    /// pg_backend_pid()
    BackendPid,
    /// pg_current_xact_id() / txid_current()
    CurrentXid,
    /// pg_current_xact_id_if_assigned()
    CurrentXidIfAssigned,
    /// pg_terminate_backend(pid)
    Terminate,
    /// pg_cancel_backend(pid)
    Cancel,
    /// pg_blocking_pids(pid)
    BlockingPids,
    /// pg_sleep(seconds)
    Sleep,
    /// current_setting(name)
    CurrentSetting,
    /// set_config(name, value, is_local)
    SetConfig,
    /// random(): from the database's own seeded sequence
    Random,
}
