//! GROUP BY and aggregates.

use super::bind::Binder;
use super::refuse;
use super::types::Typed;
use crate::bound::{AggregateCall, AggregateFunction, Expr, Grouping, Order, Output, RelIx, Source};
use crate::error::SqlError;
use crate::plan::visit;
use crate::value::{Scalar, Type};
use sqlparser::ast;

/// Aggregates of a query, as they are met.
#[derive(Debug, Clone)]
pub(super) struct Collect {
    pub(super) rel: RelIx,
    pub(super) keys: Vec<Expr>,
    pub(super) calls: Vec<AggregateCall>,
    /// Inside an aggregate's arguments: no further aggregate.
    inside: bool,
}

/// An aggregate function of this name.
pub(super) fn aggregate(name: &str) -> Option<AggregateFunction> {
    Some(match name {
        "count" => AggregateFunction::Count,
        "min" => AggregateFunction::Min,
        "max" => AggregateFunction::Max,
        "sum" => AggregateFunction::Sum,
        "avg" => AggregateFunction::Avg,
        "array_agg" => AggregateFunction::ArrayAgg,
        "string_agg" => AggregateFunction::StringAgg,
        "bool_and" | "every" => AggregateFunction::BoolAnd,
        "bool_or" => AggregateFunction::BoolOr,
        _ => return None,
    })
}

impl Binder<'_> {
    /// A key of GROUP BY: an expression, or the place of one in the select list.
    pub(super) fn group_key(&mut self, expr: &ast::Expr, projection: &[ast::SelectItem]) -> Result<Typed, SqlError> {
        let item = |n: usize| match projection.get(n) {
            Some(ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. }) => Some(expr),
            _ => None,
        };
        if let ast::Expr::Value(value) = expr
            && let ast::Value::Number(text, _) = &value.value
        {
            let found = text.parse::<usize>().ok().and_then(|n| item(n.wrapping_sub(1)));
            let expr = found
                .ok_or_else(|| SqlError::new("42P10", format!("GROUP BY position {text} is not in select list")))?;
            return self.expr(expr);
        }
        self.expr(expr)
    }

    /// Begins to collect aggregates, grouped by these keys.
    pub(super) fn begin_group(&mut self, keys: Vec<Typed>) {
        let columns = keys.iter().enumerate().map(|(n, (_, ty))| (format!("key {n}"), *ty)).collect();
        let rel = self.add_rel(String::new(), columns, Source::Groups);
        let keys = keys.into_iter().map(|(expr, _)| expr).collect();
        self.scope().group = Some(Collect { rel, keys, calls: Vec::new(), inside: false });
    }

    /// A call of an aggregate.
    pub(super) fn aggregate_call(
        &mut self,
        function: AggregateFunction,
        call: &ast::Function,
    ) -> Result<Typed, SqlError> {
        let misplaced = || SqlError::new("42803", "aggregate functions are not allowed here");
        match &mut self.scope().group {
            Some(collect) if !collect.inside => collect.inside = true,
            _ => return Err(misplaced()),
        }
        let ast::FunctionArguments::List(list) = &call.args else { return Err(misplaced()) };
        let mut function = function;
        let mut args = Vec::new();
        for arg in &list.args {
            match arg {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard) if function == AggregateFunction::Count => {
                    function = AggregateFunction::CountAll;
                }
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => args.push(self.expr(expr)?),
                _ => return Err(SqlError::outside_subset("this form of argument")),
            }
        }
        let mut order = Vec::new();
        for clause in &list.clauses {
            match clause {
                ast::FunctionArgumentClause::OrderBy(keys) => {
                    for key in keys {
                        let (expr, _) = self.expr(&key.expr)?;
                        order.push(sort_key(expr, key)?);
                    }
                }
                _ => return Err(SqlError::outside_subset("this clause of an aggregate")),
            }
        }
        let filter = call.filter.as_ref().map(|filter| self.condition(filter, "FILTER")).transpose()?;
        let wanted = match function {
            AggregateFunction::CountAll => 0,
            AggregateFunction::StringAgg => 2,
            _ => 1,
        };
        if args.len() != wanted {
            return Err(SqlError::new(
                "42883",
                format!("function {} with {} arguments does not exist", call.name, args.len()),
            ));
        }
        let args: Vec<Typed> =
            args.into_iter().map(|arg| self.settle(arg, super::types::TEXT)).collect::<Result<_, _>>()?;
        let of = args.first().map_or(Type::of(Scalar::Int8), |(_, ty)| *ty);
        let ty = match function {
            AggregateFunction::CountAll | AggregateFunction::Count => Type::of(Scalar::Int8),
            AggregateFunction::Min | AggregateFunction::Max => of,
            AggregateFunction::Sum => match of.scalar {
                Scalar::Int2 | Scalar::Int4 => Type::of(Scalar::Int8),
                Scalar::Int8 => Type::of(Scalar::Numeric),
                _ => of,
            },
            AggregateFunction::Avg => match of.scalar {
                Scalar::Float8 | Scalar::Interval => of,
                _ => Type::of(Scalar::Numeric),
            },
            AggregateFunction::ArrayAgg => Type::array_of(of.scalar),
            AggregateFunction::StringAgg => Type::of(Scalar::Text),
            AggregateFunction::BoolAnd | AggregateFunction::BoolOr => Type::of(Scalar::Bool),
        };
        let distinct = matches!(list.duplicate_treatment, Some(ast::DuplicateTreatment::Distinct));
        let args = args.into_iter().map(|(expr, _)| expr).collect();
        let Some(collect) = &mut self.scope().group else { return Err(misplaced()) };
        collect.inside = false;
        collect.calls.push(AggregateCall { function, args, distinct, order, filter, ty });
        let (rel, place) = (collect.rel, collect.keys.len() + collect.calls.len() - 1);
        self.rels[rel as usize].columns.push((format!("call {place}"), ty));
        Ok((Expr::Column(rel, place as u16), ty))
    }

    /// Ends it: what else the query computes may only use groups (42803). None if nothing was grouped.
    pub(super) fn end_group(
        &mut self,
        own: &[RelIx],
        output: &mut [Output],
        order: &mut [Order],
        having: Option<Expr>,
    ) -> Result<Option<Grouping>, SqlError> {
        let Some(collect) = self.scope().group.take() else { return Ok(None) };
        if collect.keys.is_empty() && collect.calls.is_empty() && having.is_none() {
            return Ok(None);
        }
        let mut having = having;
        let exprs =
            output.iter_mut().map(|output| &mut output.expr).chain(order.iter_mut().map(|order| &mut order.expr));
        for expr in exprs.chain(having.as_mut()) {
            replace(expr, &collect.keys, collect.rel);
            let mut stray = false;
            visit(expr, &mut |expr| {
                stray |= matches!(expr, Expr::Column(rel, _) | Expr::System(rel, _) if own.contains(rel))
            });
            if stray {
                let message = "a column must appear in the GROUP BY clause or be used in an aggregate function";
                return Err(SqlError::new("42803", message));
            }
        }
        Ok(Some(Grouping { rel: collect.rel, keys: collect.keys, calls: collect.calls, having }))
    }
}

/// Puts the groups' row in the place of expressions that are keys.
fn replace(expr: &mut Expr, keys: &[Expr], rel: RelIx) {
    let text = format!("{expr:?}");
    if let Some(key) = keys.iter().position(|key| format!("{key:?}") == text) {
        *expr = Expr::Column(rel, key as u16);
        return;
    }
    match expr {
        Expr::And(list)
        | Expr::Or(list)
        | Expr::Coalesce(list)
        | Expr::Array(list)
        | Expr::Call(_, list)
        | Expr::Act(_, list) => {
            list.iter_mut().for_each(|part| replace(part, keys, rel));
        }
        Expr::Not(one) | Expr::IsNull(one) | Expr::Cast(one, _) => replace(one, keys, rel),
        Expr::IsDistinct(a, b) | Expr::Compare(_, a, b) | Expr::Arithmetic(_, _, a, b) | Expr::Like(a, b) => {
            replace(a, keys, rel);
            replace(b, keys, rel);
        }
        Expr::Quantified { left, array, .. } => {
            replace(left, keys, rel);
            replace(array, keys, rel);
        }
        Expr::InList(left, list) => {
            replace(left, keys, rel);
            list.iter_mut().for_each(|part| replace(part, keys, rel));
        }
        Expr::Case(arms, otherwise) => {
            for (when, then) in arms {
                replace(when, keys, rel);
                replace(then, keys, rel);
            }
            if let Some(expr) = otherwise {
                replace(expr, keys, rel);
            }
        }
        Expr::Const(_) | Expr::Param(_) | Expr::Column(..) | Expr::System(..) | Expr::Sub(..) => {}
    }
}

/// A sort key with its direction.
pub(super) fn sort_key(expr: Expr, key: &ast::OrderByExpr) -> Result<Order, SqlError> {
    refuse(key.with_fill.is_some(), "WITH FILL")?;
    let descending = match &key.options.sort {
        None | Some(ast::OrderBySort::Asc) => false,
        Some(ast::OrderBySort::Desc) => true,
        Some(_) => return Err(SqlError::outside_subset("ORDER BY … USING")),
    };
    Ok(Order { expr, descending, nulls_first: key.options.nulls_first.unwrap_or(descending) })
}
