//! Expressions: names, types, operators.

use super::bind::{Binder, ident, object};
use super::refuse;
use super::types::{TEXT, Typed, UNKNOWN, comparable, declared};
use crate::bound::{CompareOp, Expr, Function, SubKind, SubPlan};
use crate::error::SqlError;
use crate::expr::{input_text, type_name};
use crate::value::{Datum, Scalar, Type};
use rust_decimal::Decimal;
use sqlparser::ast;
use std::rc::Rc;
use std::str::FromStr;

pub(super) const BOOL: Type = Type::of(Scalar::Bool);

pub(super) fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

pub(super) fn compare_op(op: &ast::BinaryOperator) -> Option<CompareOp> {
    Some(match op {
        ast::BinaryOperator::Eq => CompareOp::Eq,
        ast::BinaryOperator::NotEq => CompareOp::Ne,
        ast::BinaryOperator::Lt => CompareOp::Lt,
        ast::BinaryOperator::LtEq => CompareOp::Le,
        ast::BinaryOperator::Gt => CompareOp::Gt,
        ast::BinaryOperator::GtEq => CompareOp::Ge,
        _ => return None,
    })
}

pub(super) fn no_operator(a: Type, op: &str, b: Type) -> SqlError {
    SqlError::new("42883", format!("operator does not exist: {} {op} {}", type_name(a), type_name(b)))
}

impl Binder<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Result<Typed, SqlError> {
        match expr {
            ast::Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default") => {
                Err(SqlError::new("42601", "DEFAULT is not allowed in this context"))
            }
            ast::Expr::Identifier(name) => self.column(&ident(name)),
            ast::Expr::CompoundIdentifier(parts) => match &parts[..] {
                [table, column] => self.qualified(&ident(table), &ident(column)),
                _ => Err(SqlError::outside_subset("names of more than two parts")),
            },
            ast::Expr::Nested(inner) => self.expr(inner),
            ast::Expr::Value(value) => self.literal(&value.value),
            ast::Expr::TypedString(typed) => {
                let ty = declared(&typed.data_type)?;
                let ast::Value::SingleQuotedString(text) = &typed.value.value else {
                    return Err(SqlError::outside_subset("this literal"));
                };
                Ok((Expr::Const(input_text(text, ty)?), ty))
            }
            ast::Expr::Interval(interval) => {
                let (expr, ty) = self.expr(&interval.value)?;
                let Expr::Const(Datum::Text(text)) = expr else {
                    return Err(no_operator(Type::of(Scalar::Interval), "", ty));
                };
                let text = match &interval.leading_field {
                    Some(field) => format!("{} {}", &*text, field.to_string().to_lowercase()),
                    None => text.to_string(),
                };
                let ty = Type::of(Scalar::Interval);
                Ok((Expr::Const(input_text(&text, ty)?), ty))
            }
            ast::Expr::UnaryOp { op, expr } => self.unary(*op, expr),
            ast::Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            ast::Expr::IsNull(inner) => Ok((Expr::IsNull(boxed(self.any(inner)?)), BOOL)),
            ast::Expr::IsNotNull(inner) => Ok((Expr::Not(boxed(Expr::IsNull(boxed(self.any(inner)?)))), BOOL)),
            ast::Expr::IsTrue(inner) => self.is_truth(inner, true, false),
            ast::Expr::IsNotTrue(inner) => self.is_truth(inner, true, true),
            ast::Expr::IsFalse(inner) => self.is_truth(inner, false, false),
            ast::Expr::IsNotFalse(inner) => self.is_truth(inner, false, true),
            ast::Expr::IsDistinctFrom(a, b) => self.distinct(a, b),
            ast::Expr::IsNotDistinctFrom(a, b) => Ok((Expr::Not(boxed(self.distinct(a, b)?.0)), BOOL)),
            ast::Expr::In { expr, target, negated, global } => {
                refuse(*global, "GLOBAL IN")?;
                let found = match target {
                    ast::InTarget::List(list) => self.in_list(expr, list)?,
                    ast::InTarget::Subquery(query) => self.in_query(expr, query)?,
                    _ => return Err(SqlError::outside_subset("this form of IN")),
                };
                Ok((if *negated { Expr::Not(boxed(found)) } else { found }, BOOL))
            }
            ast::Expr::Between { expr, negated, low, high } => {
                let value = self.expr(expr)?;
                let (low, high) = (self.expr(low)?, self.expr(high)?);
                let (low, _) = self.comparison(CompareOp::Ge, value.clone(), low)?;
                let (high, _) = self.comparison(CompareOp::Le, value, high)?;
                let both = Expr::And(vec![low, high]);
                Ok((if *negated { Expr::Not(boxed(both)) } else { both }, BOOL))
            }
            ast::Expr::Like { negated, any, expr, pattern, escape_char } => {
                refuse(*any || escape_char.is_some(), "LIKE ANY and ESCAPE")?;
                let (a, b) = (self.expr(expr)?, self.expr(pattern)?);
                let (a, b) = (self.settle(a, TEXT)?, self.settle(b, TEXT)?);
                let found = Expr::Like(boxed(a.0), boxed(b.0));
                Ok((if *negated { Expr::Not(boxed(found)) } else { found }, BOOL))
            }
            ast::Expr::AnyOp { left, compare_op, right, .. } => self.quantified(left, compare_op, right, false),
            ast::Expr::AllOp { left, compare_op, right } => self.quantified(left, compare_op, right, true),
            ast::Expr::Exists { subquery, negated } => {
                let (found, _) = self.sub(subquery, SubKind::Exists)?;
                Ok((if *negated { Expr::Not(boxed(found)) } else { found }, BOOL))
            }
            ast::Expr::Subquery(query) => self.sub(query, SubKind::Scalar),
            ast::Expr::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())
            }
            ast::Expr::Cast { kind, expr, data_type, format } => {
                let plain = matches!(kind, ast::CastKind::Cast | ast::CastKind::DoubleColon);
                refuse(!plain || format.is_some(), "this form of CAST")?;
                let ty = declared(data_type)?;
                let (expr, from) = self.expr(expr)?;
                if from == UNKNOWN {
                    return self.settle((expr, from), ty);
                }
                Ok((if from == ty { expr } else { Expr::Cast(boxed(expr), ty) }, ty))
            }
            ast::Expr::Extract { field, expr, .. } => {
                refuse(!field.to_string().eq_ignore_ascii_case("epoch"), "extract of other than epoch")?;
                let typed = self.expr(expr)?;
                let (expr, _) = self.settle(typed, Type::of(Scalar::Interval))?;
                Ok((Expr::Call(Function::Epoch, vec![expr]), Type::of(Scalar::Numeric)))
            }
            ast::Expr::Array(array) => {
                let items = array.elem.iter().map(|item| self.expr(item)).collect::<Result<Vec<_>, _>>()?;
                let (items, ty) = self.common(items, "ARRAY")?;
                Ok((Expr::Array(items), Type::array_of(ty.scalar)))
            }
            ast::Expr::Function(call) => self.function(call),
            other => {
                let text = other.to_string();
                Err(SqlError::outside_subset(format!("the expression {}", text.chars().take(60).collect::<String>())))
            }
        }
    }

    fn any(&mut self, expr: &ast::Expr) -> Result<Expr, SqlError> {
        let typed = self.expr(expr)?;
        Ok(self.settle(typed, TEXT)?.0)
    }

    fn literal(&mut self, value: &ast::Value) -> Result<Typed, SqlError> {
        Ok(match value {
            ast::Value::Number(text, _) => {
                if let Ok(n) = text.parse::<i64>() {
                    let ty = if i32::try_from(n).is_ok() { Scalar::Int4 } else { Scalar::Int8 };
                    (Expr::Const(Datum::Int(n)), Type::of(ty))
                } else {
                    let bad = || SqlError::new("22P02", format!("invalid input syntax for type numeric: \"{text}\""));
                    let n = Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text)).map_err(|_| bad())?;
                    (Expr::Const(Datum::Numeric(Rc::new(n))), Type::of(Scalar::Numeric))
                }
            }
            ast::Value::SingleQuotedString(text) | ast::Value::EscapedStringLiteral(text) => {
                (Expr::Const(Datum::Text(text.as_str().into())), UNKNOWN)
            }
            ast::Value::DollarQuotedString(text) => (Expr::Const(Datum::Text(text.value.as_str().into())), UNKNOWN),
            ast::Value::Boolean(value) => (Expr::Const(Datum::Bool(*value)), BOOL),
            ast::Value::Null => (Expr::Const(Datum::Null), UNKNOWN),
            ast::Value::Placeholder(text) => return self.param(text),
            other => return Err(SqlError::outside_subset(format!("the literal {other}"))),
        })
    }

    fn is_truth(&mut self, expr: &ast::Expr, truth: bool, negated: bool) -> Result<Typed, SqlError> {
        let condition = self.condition(expr, "IS")?;
        let distinct = Expr::IsDistinct(boxed(condition), boxed(Expr::Const(Datum::Bool(truth))));
        Ok((if negated { distinct } else { Expr::Not(boxed(distinct)) }, BOOL))
    }

    fn distinct(&mut self, a: &ast::Expr, b: &ast::Expr) -> Result<Typed, SqlError> {
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let (a, b) = self.agree(a, b)?;
        if !comparable(a.1, b.1) {
            return Err(no_operator(a.1, "=", b.1));
        }
        Ok((Expr::IsDistinct(boxed(a.0), boxed(b.0)), BOOL))
    }

    fn in_list(&mut self, left: &ast::Expr, list: &[ast::Expr]) -> Result<Expr, SqlError> {
        let left = self.expr(left)?;
        let mut items = Vec::new();
        let mut first = left;
        for item in list {
            let item = self.expr(item)?;
            let (a, b) = self.agree(first, item)?;
            if !comparable(a.1, b.1) {
                return Err(no_operator(a.1, "=", b.1));
            }
            items.push(b.0);
            first = a;
        }
        Ok(Expr::InList(boxed(first.0), items))
    }

    fn in_query(&mut self, left: &ast::Expr, query: &ast::Query) -> Result<Expr, SqlError> {
        let left = self.expr(left)?;
        let query = self.query(query)?;
        let [output] = &query.output[..] else { return Err(SqlError::new("42601", "subquery has too many columns")) };
        let ty = output.ty;
        let left = self.settle(left, ty)?;
        if !comparable(left.1, ty) {
            return Err(no_operator(left.1, "=", ty));
        }
        Ok(Expr::Sub(self.add_sub(query), SubKind::In(boxed(left.0))))
    }

    fn quantified(
        &mut self,
        left: &ast::Expr,
        op: &ast::BinaryOperator,
        right: &ast::Expr,
        all: bool,
    ) -> Result<Typed, SqlError> {
        let name = if all { "ALL" } else { "ANY" };
        let op = compare_op(op).ok_or_else(|| SqlError::outside_subset(format!("this operator with {name}")))?;
        if let ast::Expr::Subquery(query) = right {
            refuse(all || op != CompareOp::Eq, "ANY and ALL of a sub-select but for = ANY")?;
            return Ok((self.in_query(left, query)?, BOOL));
        }
        let (left, right) = (self.expr(left)?, self.expr(right)?);
        let element = if left.1 == UNKNOWN { Type::of(Scalar::Text) } else { left.1 };
        let right = self.settle(right, Type::array_of(element.scalar))?;
        if !right.1.array {
            return Err(SqlError::new("42809", format!("op {name} (array) requires array on right side")));
        }
        let left = self.settle(left, Type::of(right.1.scalar))?;
        if !comparable(left.1, Type::of(right.1.scalar)) {
            return Err(no_operator(left.1, "=", Type::of(right.1.scalar)));
        }
        Ok((Expr::Quantified { op, all, left: boxed(left.0), array: boxed(right.0) }, BOOL))
    }

    /// A sub-select as a value.
    pub(super) fn sub(&mut self, query: &ast::Query, kind: SubKind) -> Result<Typed, SqlError> {
        let query = self.query(query)?;
        let ty = match (&kind, &query.output[..]) {
            (SubKind::Exists, _) => BOOL,
            (SubKind::Array, [output]) => Type::array_of(output.ty.scalar),
            (_, [output]) => output.ty,
            _ => return Err(SqlError::new("42601", "subquery must return only one column")),
        };
        Ok((Expr::Sub(self.add_sub(query), kind), ty))
    }

    fn add_sub(&mut self, query: crate::bound::Query) -> u16 {
        self.subplans.push(SubPlan { query, correlated: false });
        (self.subplans.len() - 1) as u16
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        arms: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
    ) -> Result<Typed, SqlError> {
        let operand = operand.map(|operand| self.expr(operand)).transpose()?;
        let mut whens = Vec::new();
        let mut values = Vec::new();
        for arm in arms {
            whens.push(match &operand {
                None => self.condition(&arm.condition, "CASE/WHEN")?,
                Some(operand) => {
                    let value = self.expr(&arm.condition)?;
                    self.comparison(CompareOp::Eq, operand.clone(), value)?.0
                }
            });
            values.push(self.expr(&arm.result)?);
        }
        let has_else = otherwise.is_some();
        if let Some(otherwise) = otherwise {
            values.push(self.expr(otherwise)?);
        }
        let (mut values, ty) = self.common(values, "CASE")?;
        let otherwise = if has_else { values.pop().map(boxed) } else { None };
        Ok((Expr::Case(whens.into_iter().zip(values).collect(), otherwise), ty))
    }

    /// The arguments of a call, none of them named or starred.
    pub(super) fn arguments(&mut self, call: &ast::Function) -> Result<Vec<Typed>, SqlError> {
        let list = match &call.args {
            ast::FunctionArguments::None => return Ok(Vec::new()),
            ast::FunctionArguments::Subquery(_) => {
                return Err(SqlError::outside_subset("a bare sub-select as argument"));
            }
            ast::FunctionArguments::List(list) => list,
        };
        refuse(
            !list.clauses.is_empty() || list.duplicate_treatment.is_some(),
            "clauses in a plain function's arguments",
        )?;
        list.args
            .iter()
            .map(|arg| match arg {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => self.expr(expr),
                _ => Err(SqlError::outside_subset("this form of argument")),
            })
            .collect()
    }

    fn function(&mut self, call: &ast::Function) -> Result<Typed, SqlError> {
        refuse(call.over.is_some(), "window functions")?;
        refuse(
            call.uses_odbc_syntax || !call.within_group.is_empty() || call.null_treatment.is_some(),
            "this form of call",
        )?;
        let name = object(&call.name)?;
        if let Some(aggregate) = super::group::aggregate(&name) {
            return self.aggregate_call(aggregate, call);
        }
        refuse(call.filter.is_some(), "FILTER on a plain function")?;
        if name == "array"
            && let ast::FunctionArguments::Subquery(query) = &call.args
        {
            return self.sub(query, SubKind::Array);
        }
        let args = self.arguments(call)?;
        self.named_function(&name, args)
    }
}
