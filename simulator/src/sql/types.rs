//! Types of the subset, and how values come from one to another.

use super::bind::Binder;
use super::is_integer;
use crate::bound::Expr;
use crate::error::SqlError;
use crate::expr::input_text;
use crate::value::{Datum, Scalar, Type};
use sqlparser::ast;

/// An expression and its type.
pub(super) type Typed = (Expr, Type);

/// A declared type: 42704 or 0A000 if it is none of the subset.
pub(super) fn declared(ty: &ast::DataType) -> Result<Type, SqlError> {
    let name = ty.to_string().to_lowercase();
    let (base, array) = match name.strip_suffix("[]") {
        Some(base) => (base, true),
        None => (&*name, false),
    };
    // A length is a limit that nothing here reaches; it is taken as text.
    let base = base.split('(').next().unwrap_or(base).trim();
    let scalar = match base {
        "bool" | "boolean" => Scalar::Bool,
        "smallint" | "int2" | "smallserial" => Scalar::Int2,
        "int" | "integer" | "int4" | "serial" => Scalar::Int4,
        "bigint" | "int8" | "bigserial" => Scalar::Int8,
        "numeric" | "decimal" => Scalar::Numeric,
        "double precision" | "float8" | "float" | "real" | "float4" => Scalar::Float8,
        "text" | "varchar" | "character varying" | "name" => Scalar::Text,
        "timestamptz" | "timestamp with time zone" => Scalar::Timestamptz,
        "interval" => Scalar::Interval,
        "jsonb" | "json" => Scalar::Jsonb,
        "tid" => Scalar::Tid,
        "xid" => Scalar::Xid,
        other => return Err(SqlError::outside_subset(format!("the type {other}"))),
    };
    Ok(Type { scalar, array })
}

fn is_number(ty: Type) -> bool {
    !ty.array && (is_integer(ty.scalar) || matches!(ty.scalar, Scalar::Numeric | Scalar::Float8))
}

/// A number's place in the order in which types give way to each other.
pub(super) fn rank(ty: Type) -> u8 {
    match ty.scalar {
        Scalar::Int2 => 1,
        Scalar::Int4 => 2,
        Scalar::Int8 => 3,
        Scalar::Numeric => 4,
        Scalar::Float8 => 5,
        _ => 0,
    }
}

/// Whether values of two types can be compared as they are.
pub(super) fn comparable(a: Type, b: Type) -> bool {
    a == b || (is_number(a) && is_number(b)) || (a.array && b.array && is_integer(a.scalar) && is_integer(b.scalar))
}

pub(super) const UNKNOWN: Type = Type::of(Scalar::Unknown);
pub(super) const TEXT: Type = Type::of(Scalar::Text);

impl Binder<'_> {
    /// Gives a literal or parameter without a type this one; others stay.
    pub(super) fn settle(&mut self, typed: Typed, ty: Type) -> Result<Typed, SqlError> {
        if typed.1.scalar != Scalar::Unknown || typed.1.array {
            return Ok(typed);
        }
        let expr = match typed.0 {
            Expr::Const(Datum::Text(text)) => Expr::Const(input_text(&text, ty)?),
            Expr::Param(ix) => {
                self.params[ix as usize] = Some(ty);
                Expr::Param(ix)
            }
            Expr::Const(Datum::Null) => Expr::Const(Datum::Null),
            other => Expr::Cast(Box::new(other), ty),
        };
        Ok((expr, ty))
    }

    /// Two sides of an operator: what has no type takes the other's; two without one are text.
    pub(super) fn agree(&mut self, a: Typed, b: Typed) -> Result<(Typed, Typed), SqlError> {
        Ok(match (a.1 == UNKNOWN, b.1 == UNKNOWN) {
            (true, true) => (self.settle(a, TEXT)?, self.settle(b, TEXT)?),
            (true, false) => {
                let ty = b.1;
                (self.settle(a, ty)?, b)
            }
            (false, true) => {
                let ty = a.1;
                (a, self.settle(b, ty)?)
            }
            (false, false) => (a, b),
        })
    }

    /// Branches of CASE, coalesce, VALUES: one type for all; 42804 if there is none.
    pub(super) fn common(&mut self, all: Vec<Typed>, what: &str) -> Result<(Vec<Expr>, Type), SqlError> {
        let mut ty = UNKNOWN;
        for (_, other) in all.iter().filter(|(_, ty)| *ty != UNKNOWN) {
            if ty == UNKNOWN || (is_number(ty) && is_number(*other) && rank(*other) > rank(ty)) {
                ty = *other;
            } else if !comparable(ty, *other) {
                let (a, b) = (crate::expr::type_name(ty), crate::expr::type_name(*other));
                return Err(SqlError::new("42804", format!("{what} types {a} and {b} cannot be matched")));
            }
        }
        let ty = if ty == UNKNOWN { TEXT } else { ty };
        let exprs = all.into_iter().map(|typed| self.to(typed, ty)).collect::<Result<_, _>>()?;
        Ok((exprs, ty))
    }

    /// To a type that values get to by themselves: numbers to wider ones.
    fn to(&mut self, typed: Typed, ty: Type) -> Result<Expr, SqlError> {
        let (expr, from) = self.settle(typed, ty)?;
        let represented = from == ty || (is_integer(from.scalar) && is_integer(ty.scalar) && rank(from) <= rank(ty));
        Ok(if represented { expr } else { Expr::Cast(Box::new(expr), ty) })
    }

    /// To the type of a column that it is assigned to: 42804 if that needs an explicit cast.
    pub(super) fn assign(&mut self, typed: Typed, ty: Type, column: &str) -> Result<Expr, SqlError> {
        let from = typed.1;
        let fits = from == UNKNOWN
            || from == ty
            || (is_number(from) && is_number(ty))
            || (ty == TEXT && !from.array)
            || (from.array == ty.array && is_integer(from.scalar) && is_integer(ty.scalar));
        if !fits {
            let (want, is) = (crate::expr::type_name(ty), crate::expr::type_name(from));
            return Err(SqlError::new(
                "42804",
                format!("column \"{column}\" is of type {want} but expression is of type {is}"),
            ));
        }
        self.to(typed, ty)
    }

    /// A condition: 42804 if it is not boolean.
    pub(super) fn condition(&mut self, expr: &ast::Expr, clause: &str) -> Result<Expr, SqlError> {
        let typed = self.expr(expr)?;
        let (expr, ty) = self.settle(typed, Type::of(Scalar::Bool))?;
        if ty != Type::of(Scalar::Bool) {
            let is = crate::expr::type_name(ty);
            return Err(SqlError::new("42804", format!("argument of {clause} must be type boolean, not type {is}")));
        }
        Ok(expr)
    }
}
