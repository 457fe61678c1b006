//! Evaluation of expressions: three-valued logic, PostgreSQL's overflow and cast errors, text forms of values.

mod compute;
mod convert;
mod functions;

pub use compute::{arithmetic, compare, same};
pub(crate) use convert::type_name;
pub use convert::{cast, input_text, output_text, params};

use crate::bound::{Action, CompareOp, Expr, RelIx, SubKind, SystemColumn};
use crate::error::SqlError;
use crate::value::{Datum, Row};
use std::cmp::Ordering;
use std::rc::Rc;

/// Why an evaluation did not come to a value.
#[derive(Debug, Clone)]
pub enum Stop {
    /// It failed.
    Error(SqlError),
    /// It waits; it is begun again when the wait is over.
    Blocked,
}

impl From<SqlError> for Stop {
    fn from(error: SqlError) -> Stop {
        Stop::Error(error)
    }
}

/// The instants that a statement knows, in µs since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// now(): the start of the transaction.
    pub transaction: i64,
    /// The start of the statement.
    pub statement: i64,
    /// This moment.
    pub clock: i64,
}

/// What an expression is evaluated in.
pub trait Env {
    /// A relation's current row; none: all its columns are NULL.
    fn row(&self, rel: RelIx) -> Option<&Row>;
    /// A parameter.
    fn param(&self, ix: u16) -> &Datum;
    /// The instants.
    fn times(&self) -> Times;
    /// A system column.
    fn system(&self, rel: RelIx, column: SystemColumn) -> Datum;
    /// A sub-select's value.
    fn sub(&mut self, ix: u16, kind: &SubKind) -> Result<Datum, Stop>;
    /// What a function that acts returns.
    fn act(&mut self, action: Action, args: &[Datum]) -> Result<Datum, Stop>;
}

/// A value that is there already, without a copy.
fn at_hand<'a, E: Env>(expr: &'a Expr, env: &'a E) -> Option<&'a Datum> {
    match expr {
        Expr::Const(value) => Some(value),
        Expr::Param(ix) => Some(env.param(*ix)),
        Expr::Column(rel, column) => {
            Some(env.row(*rel).and_then(|row| row.get(*column as usize)).unwrap_or(&Datum::Null))
        }
        _ => None,
    }
}

/// Whether a condition is true; NULL and false are not.
pub fn is_true<E: Env>(expr: &Expr, env: &mut E) -> Result<bool, Stop> {
    match expr {
        Expr::And(parts) => {
            for part in parts {
                if !is_true(part, env)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Expr::Compare(op, left, right) => {
            if let (Some(left), Some(right)) = (at_hand(left, env), at_hand(right, env)) {
                return Ok(!left.is_null() && !right.is_null() && holds(*op, compare(left, right)));
            }
            Ok(eval(expr, env)?.is_true())
        }
        _ => Ok(eval(expr, env)?.is_true()),
    }
}

fn holds(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::Ne => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
    }
}

fn compared(op: CompareOp, left: &Datum, right: &Datum) -> Datum {
    if left.is_null() || right.is_null() { Datum::Null } else { Datum::Bool(holds(op, compare(left, right))) }
}

/// The value of an expression.
pub fn eval<E: Env>(expr: &Expr, env: &mut E) -> Result<Datum, Stop> {
    if let Some(value) = at_hand(expr, env) {
        return Ok(value.clone());
    }
    Ok(match expr {
        Expr::Const(_) | Expr::Param(_) | Expr::Column(..) => Datum::Null,
        Expr::System(rel, column) => env.system(*rel, *column),
        // All parts that matter are tested from the left; a false one ends it, as in PostgreSQL.
        Expr::And(parts) => {
            let mut unknown = false;
            for part in parts {
                match eval(part, env)? {
                    Datum::Bool(false) => return Ok(Datum::Bool(false)),
                    Datum::Null => unknown = true,
                    _ => {}
                }
            }
            if unknown { Datum::Null } else { Datum::Bool(true) }
        }
        Expr::Or(parts) => {
            let mut unknown = false;
            for part in parts {
                match eval(part, env)? {
                    Datum::Bool(true) => return Ok(Datum::Bool(true)),
                    Datum::Null => unknown = true,
                    _ => {}
                }
            }
            if unknown { Datum::Null } else { Datum::Bool(false) }
        }
        Expr::Not(one) => match eval(one, env)? {
            Datum::Bool(value) => Datum::Bool(!value),
            _ => Datum::Null,
        },
        Expr::IsNull(one) => Datum::Bool(eval(one, env)?.is_null()),
        Expr::IsDistinct(a, b) => {
            let (a, b) = (eval(a, env)?, eval(b, env)?);
            Datum::Bool(!same(&a, &b))
        }
        Expr::Compare(op, a, b) => {
            let (a, b) = (eval(a, env)?, eval(b, env)?);
            compared(*op, &a, &b)
        }
        Expr::Arithmetic(op, ty, a, b) => {
            let (a, b) = (eval(a, env)?, eval(b, env)?);
            arithmetic(*op, *ty, &a, &b)?
        }
        Expr::Quantified { op, all, left, array } => {
            let left = eval(left, env)?;
            match eval(array, env)? {
                Datum::Array(items) => any(*all, items.iter().map(|item| compared(*op, &left, item))),
                _ => Datum::Null,
            }
        }
        Expr::InList(left, list) => {
            let left = eval(left, env)?;
            let mut unknown = false;
            for item in list {
                let item = eval(item, env)?;
                match compared(CompareOp::Eq, &left, &item) {
                    Datum::Bool(true) => return Ok(Datum::Bool(true)),
                    Datum::Null => unknown = true,
                    _ => {}
                }
            }
            if unknown { Datum::Null } else { Datum::Bool(false) }
        }
        Expr::Like(text, pattern) => match (eval(text, env)?, eval(pattern, env)?) {
            (Datum::Text(text), Datum::Text(pattern)) => Datum::Bool(functions::like(&text, &pattern)),
            _ => Datum::Null,
        },
        Expr::Case(arms, otherwise) => {
            for (when, then) in arms {
                if is_true(when, env)? {
                    return eval(then, env);
                }
            }
            match otherwise {
                Some(expr) => eval(expr, env)?,
                None => Datum::Null,
            }
        }
        Expr::Coalesce(list) => {
            for item in list {
                let value = eval(item, env)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            Datum::Null
        }
        Expr::Cast(one, ty) => cast(&eval(one, env)?, *ty)?,
        Expr::Array(items) => Datum::Array(Rc::new(all_of(items, env)?)),
        Expr::Call(function, args) => {
            let args = all_of(args, env)?;
            functions::call(*function, &args, env.times())?
        }
        Expr::Act(action, args) => {
            let args = all_of(args, env)?;
            env.act(*action, &args)?
        }
        Expr::Sub(ix, kind) => env.sub(*ix, kind)?,
    })
}

fn all_of<E: Env>(exprs: &[Expr], env: &mut E) -> Result<Vec<Datum>, Stop> {
    exprs.iter().map(|expr| eval(expr, env)).collect()
}

fn any(all: bool, results: impl Iterator<Item = Datum>) -> Datum {
    let mut unknown = false;
    for result in results {
        match result {
            Datum::Bool(value) if value != all => return Datum::Bool(!all),
            Datum::Null => unknown = true,
            _ => {}
        }
    }
    if unknown { Datum::Null } else { Datum::Bool(all) }
}
