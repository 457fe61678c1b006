//! Operators.

use super::bind::Binder;
use super::expr::{BOOL, boxed, compare_op, no_operator};
use super::types::{TEXT, Typed, UNKNOWN, comparable, rank};
use crate::bound::{ArithmeticOp, CompareOp, Expr, Function};
use crate::error::SqlError;
use crate::expr::type_name;
use crate::value::{Datum, Scalar, Type};
use sqlparser::ast;

impl Binder<'_> {
    pub(super) fn unary(&mut self, op: ast::UnaryOperator, expr: &ast::Expr) -> Result<Typed, SqlError> {
        match op {
            ast::UnaryOperator::Not => Ok((Expr::Not(boxed(self.condition(expr, "NOT")?)), BOOL)),
            ast::UnaryOperator::Plus => self.expr(expr),
            ast::UnaryOperator::Minus => {
                let typed = self.expr(expr)?;
                let (expr, ty) = self.settle(typed, Type::of(Scalar::Int4))?;
                if rank(ty) == 0 && ty.scalar != Scalar::Interval {
                    return Err(SqlError::new("42883", format!("operator does not exist: - {}", type_name(ty))));
                }
                Ok(match expr {
                    Expr::Const(Datum::Int(n)) => (Expr::Const(Datum::Int(-n)), ty),
                    expr => (Expr::Call(Function::Negate, vec![expr]), ty),
                })
            }
            other => Err(SqlError::outside_subset(format!("the operator {other}"))),
        }
    }

    pub(super) fn binary(
        &mut self,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
    ) -> Result<Typed, SqlError> {
        use ast::BinaryOperator as B;
        if matches!(op, B::And | B::Or) {
            let name = if *op == B::And { "AND" } else { "OR" };
            let (left, right) = (self.condition(left, name)?, self.condition(right, name)?);
            let mut parts = Vec::new();
            for part in [left, right] {
                match part {
                    Expr::And(inner) if *op == B::And => parts.extend(inner),
                    Expr::Or(inner) if *op == B::Or => parts.extend(inner),
                    part => parts.push(part),
                }
            }
            return Ok((if *op == B::And { Expr::And(parts) } else { Expr::Or(parts) }, BOOL));
        }
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        if let Some(op) = compare_op(op) {
            return self.comparison(op, a, b);
        }
        let op = match op {
            B::Plus => ArithmeticOp::Add,
            B::Minus => ArithmeticOp::Sub,
            B::Multiply => ArithmeticOp::Mul,
            B::Divide => ArithmeticOp::Div,
            B::Modulo => ArithmeticOp::Mod,
            B::StringConcat => ArithmeticOp::Concat,
            other => return Err(SqlError::outside_subset(format!("the operator {other}"))),
        };
        self.arithmetic(op, a, b)
    }

    fn arithmetic(&mut self, op: ArithmeticOp, a: Typed, b: Typed) -> Result<Typed, SqlError> {
        use Scalar::{Float8, Int8, Interval, Text, Timestamptz};
        let bind = |ty: Type, a: Expr, b: Expr| Ok((Expr::Arithmetic(op, ty, boxed(a), boxed(b)), ty));
        if op == ArithmeticOp::Concat {
            if a.1.array || b.1.array {
                let ty = if a.1.array { a.1 } else { b.1 };
                let (a, b) = (self.settle(a, Type::of(ty.scalar))?, self.settle(b, Type::of(ty.scalar))?);
                return bind(ty, a.0, b.0);
            }
            let text = |binder: &mut Self, typed: Typed| {
                let (expr, ty) = binder.settle(typed, TEXT)?;
                Ok::<_, SqlError>(if ty == TEXT { expr } else { Expr::Cast(boxed(expr), TEXT) })
            };
            let (a, b) = (text(self, a)?, text(self, b)?);
            return bind(Type::of(Text), a, b);
        }
        // A literal beside an instant is an interval when it is added, an instant when it is taken away.
        let beside = |other: Type| match (other.scalar, op) {
            (Timestamptz, ArithmeticOp::Add) => Type::of(Interval),
            (Interval, ArithmeticOp::Mul | ArithmeticOp::Div) => Type::of(Float8),
            _ => other,
        };
        let (a, b) = match (a.1 == UNKNOWN, b.1 == UNKNOWN) {
            (true, true) => (self.settle(a, Type::of(Int8))?, self.settle(b, Type::of(Int8))?),
            (true, false) => {
                let ty = beside(b.1);
                (self.settle(a, ty)?, b)
            }
            (false, true) => {
                let ty = beside(a.1);
                (a, self.settle(b, ty)?)
            }
            (false, false) => (a, b),
        };
        let (x, y) = (a.1, b.1);
        let number = |ty: Type| rank(ty) > 0 && !ty.array;
        let ty = match (x.scalar, op, y.scalar) {
            _ if number(x) && number(y) => {
                if rank(x) >= rank(y) {
                    x
                } else {
                    y
                }
            }
            (Timestamptz, ArithmeticOp::Add | ArithmeticOp::Sub, Interval) => Type::of(Timestamptz),
            (Interval, ArithmeticOp::Add, Timestamptz) => Type::of(Timestamptz),
            (Timestamptz, ArithmeticOp::Sub, Timestamptz) => Type::of(Interval),
            (Interval, ArithmeticOp::Add | ArithmeticOp::Sub, Interval) => Type::of(Interval),
            (Interval, ArithmeticOp::Mul | ArithmeticOp::Div, _) if number(y) => Type::of(Interval),
            (_, ArithmeticOp::Mul, Interval) if number(x) => Type::of(Interval),
            _ => {
                let sign = ["+", "-", "*", "/", "%", "||"][op as usize];
                return Err(no_operator(x, sign, y));
            }
        };
        bind(ty, a.0, b.0)
    }

    pub(super) fn comparison(&mut self, op: CompareOp, a: Typed, b: Typed) -> Result<Typed, SqlError> {
        let (a, b) = self.agree(a, b)?;
        if !comparable(a.1, b.1) {
            let sign = ["=", "<>", "<", "<=", ">", ">="][op as usize];
            return Err(no_operator(a.1, sign, b.1));
        }
        Ok((Expr::Compare(op, boxed(a.0), boxed(b.0)), BOOL))
    }
}
