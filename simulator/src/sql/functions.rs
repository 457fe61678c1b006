//! Functions by name: which there are, what they take and return.

use super::bind::Binder;
use super::types::{TEXT, Typed, rank};
use crate::bound::{Action, Expr, Function};
use crate::error::SqlError;
use crate::expr::type_name;
use crate::value::{Scalar, Type};

const BOOL: Type = Type::of(Scalar::Bool);
const INT4: Type = Type::of(Scalar::Int4);
const INT8: Type = Type::of(Scalar::Int8);
const VOID: Type = Type::of(Scalar::Void);
const TIME: Type = Type::of(Scalar::Timestamptz);
const FLOAT8: Type = Type::of(Scalar::Float8);
const XID: Type = Type::of(Scalar::Xid);

/// A plain function: arguments (the last one repeats if `more`), result.
fn plain(name: &str) -> Option<(Function, &'static [Type], bool, Type)> {
    Some(match name {
        "now" | "current_timestamp" | "transaction_timestamp" => (Function::Now, &[], false, TIME),
        "statement_timestamp" => (Function::StatementTime, &[], false, TIME),
        "clock_timestamp" => (Function::ClockTime, &[], false, TIME),
        "length" | "char_length" => (Function::Length, &[TEXT], false, INT4),
        "lower" => (Function::Lower, &[TEXT], false, TEXT),
        "upper" => (Function::Upper, &[TEXT], false, TEXT),
        "repeat" => (Function::Repeat, &[TEXT, INT4], false, TEXT),
        "hashtext" => (Function::HashText, &[TEXT], false, INT4),
        "version" => (Function::Version, &[], false, TEXT),
        _ => return None,
    })
}

/// A function that acts.
fn acting(name: &str) -> Option<(Action, &'static [&'static [Type]], Type)> {
    let advisory = |shared, xact, attempt| {
        let result = if attempt { BOOL } else { VOID };
        Some((
            Action::AdvisoryLock { shared, xact, attempt },
            &[&[INT8] as &[Type], &[INT4, INT4]] as &[&[Type]],
            result,
        ))
    };
    let unlock =
        |shared| Some((Action::AdvisoryUnlock { shared }, &[&[INT8] as &[Type], &[INT4, INT4]] as &[&[Type]], BOOL));
    match name {
        "pg_advisory_lock" => advisory(false, false, false),
        "pg_advisory_lock_shared" => advisory(true, false, false),
        "pg_advisory_xact_lock" => advisory(false, true, false),
        "pg_advisory_xact_lock_shared" => advisory(true, true, false),
        "pg_try_advisory_lock" => advisory(false, false, true),
        "pg_try_advisory_lock_shared" => advisory(true, false, true),
        "pg_try_advisory_xact_lock" => advisory(false, true, true),
        "pg_try_advisory_xact_lock_shared" => advisory(true, true, true),
        "pg_advisory_unlock" => unlock(false),
        "pg_advisory_unlock_shared" => unlock(true),
        "pg_advisory_unlock_all" => Some((Action::AdvisoryUnlockAll, &[&[]], VOID)),
        "pg_notify" => Some((Action::Notify, &[&[TEXT, TEXT]], VOID)),
        "pg_backend_pid" => Some((Action::BackendPid, &[&[]], INT4)),
        "pg_current_xact_id" | "txid_current" => Some((Action::CurrentXid, &[&[]], XID)),
        "pg_current_xact_id_if_assigned" | "txid_current_if_assigned" => {
            Some((Action::CurrentXidIfAssigned, &[&[]], XID))
        }
        "pg_terminate_backend" => Some((Action::Terminate, &[&[INT4]], BOOL)),
        "pg_cancel_backend" => Some((Action::Cancel, &[&[INT4]], BOOL)),
        "pg_blocking_pids" => Some((Action::BlockingPids, &[&[INT4]], Type::array_of(Scalar::Int4))),
        "pg_sleep" => Some((Action::Sleep, &[&[FLOAT8]], VOID)),
        "current_setting" => Some((Action::CurrentSetting, &[&[TEXT]], TEXT)),
        "set_config" => Some((Action::SetConfig, &[&[TEXT, TEXT, BOOL]], TEXT)),
        "random" => Some((Action::Random, &[&[]], Type::of(Scalar::Float8))),
        _ => None,
    }
}

impl Binder<'_> {
    /// A call of a function that is no aggregate: 42883 if there is none.
    pub(super) fn named_function(&mut self, name: &str, args: Vec<Typed>) -> Result<Typed, SqlError> {
        let given: Vec<String> = args.iter().map(|(_, ty)| type_name(*ty)).collect();
        let missing = || SqlError::new("42883", format!("function {name}({}) does not exist", given.join(", ")));
        if let Some((function, wanted, _, result)) = plain(name) {
            let args = self.fit(args, wanted).ok_or_else(missing)??;
            return Ok((Expr::Call(function, args), result));
        }
        if let Some((action, forms, result)) = acting(name) {
            for form in forms {
                if form.len() == args.len() {
                    let args = self.fit(args, form).ok_or_else(missing)??;
                    return Ok((Expr::Act(action, args), result));
                }
            }
            return Err(missing());
        }
        let of_one = |args: Vec<Typed>| <[Typed; 1]>::try_from(args).map_err(|_| missing());
        match name {
            "coalesce" | "greatest" | "least" => {
                if args.is_empty() {
                    return Err(missing());
                }
                let (list, ty) = self.common(args, &name.to_uppercase())?;
                Ok(match name {
                    "coalesce" => (Expr::Coalesce(list), ty),
                    "greatest" => (Expr::Call(Function::Greatest, list), ty),
                    _ => (Expr::Call(Function::Least, list), ty),
                })
            }
            "nullif" => {
                let [a, b] = <[Typed; 2]>::try_from(args).map_err(|_| missing())?;
                let (a, b) = self.agree(a, b)?;
                let ty = a.1;
                Ok((Expr::Call(Function::NullIf, vec![a.0, b.0]), ty))
            }
            "concat" | "jsonb_build_object" => {
                let args = args
                    .into_iter()
                    .map(|arg| self.settle(arg, TEXT).map(|(expr, _)| expr))
                    .collect::<Result<Vec<_>, _>>()?;
                if name == "concat" {
                    return Ok((Expr::Call(Function::Concat, args), TEXT));
                }
                if args.len() % 2 == 1 {
                    return Err(SqlError::new("22023", "argument list must have even number of elements"));
                }
                Ok((Expr::Call(Function::JsonbBuildObject, args), Type::of(Scalar::Jsonb)))
            }
            "abs" => {
                let [arg] = of_one(args)?;
                let (arg, ty) = self.settle(arg, Type::of(Scalar::Float8))?;
                if rank(ty) == 0 {
                    return Err(missing());
                }
                Ok((Expr::Call(Function::Abs, vec![arg]), ty))
            }
            "mod" => {
                let [a, b] = <[Typed; 2]>::try_from(args).map_err(|_| missing())?;
                let (a, b) = self.agree(a, b)?;
                let ty = if rank(a.1) >= rank(b.1) { a.1 } else { b.1 };
                Ok((Expr::Call(Function::Mod, vec![a.0, b.0]), ty))
            }
            "cardinality" | "array_length" => {
                let mut args = args.into_iter();
                let Some((array, ty)) = args.next() else { return Err(missing()) };
                let dimension = args.next();
                if !ty.array || dimension.is_some() != (name == "array_length") {
                    return Err(missing());
                }
                let function = if name == "cardinality" { Function::Cardinality } else { Function::ArrayLength };
                Ok((Expr::Call(function, vec![array]), INT4))
            }
            _ => Err(missing()),
        }
    }

    /// Arguments as a function takes them; none if they do not fit.
    fn fit(&mut self, args: Vec<Typed>, wanted: &[Type]) -> Option<Result<Vec<Expr>, SqlError>> {
        if args.len() != wanted.len() {
            return None;
        }
        let mut fitted = Vec::new();
        for (arg, ty) in args.into_iter().zip(wanted) {
            let (expr, from) = match self.settle(arg, *ty) {
                Ok(typed) => typed,
                Err(error) => return Some(Err(error)),
            };
            let widens = rank(from) > 0 && rank(*ty) > 0 && rank(from) <= rank(*ty) && !from.array;
            if from != *ty && !widens {
                return None;
            }
            fitted.push(if from == *ty || rank(*ty) <= 3 { expr } else { Expr::Cast(Box::new(expr), *ty) });
        }
        Some(Ok(fitted))
    }
}
