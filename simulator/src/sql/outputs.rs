//! Names and places of a query's outputs, and whether it may run more than once.

use super::bind::{Binder, ident, object};
use crate::bound::{Expr, Output, Query, Source};
use crate::error::SqlError;
use crate::plan::visit;
use sqlparser::ast;

/// The place of an output that ORDER BY names or counts.
pub(super) fn position(expr: &ast::Expr, output: &[Output]) -> Result<Option<usize>, SqlError> {
    match expr {
        ast::Expr::Value(value) => match &value.value {
            ast::Value::Number(text, _) => {
                let place = text.parse::<usize>().ok().filter(|place| (1..=output.len()).contains(place));
                let missing = || SqlError::new("42P10", format!("ORDER BY position {text} is not in select list"));
                place.map(|place| Some(place - 1)).ok_or_else(missing)
            }
            _ => Ok(None),
        },
        ast::Expr::Identifier(name) => {
            let name = ident(name);
            Ok(output.iter().position(|output| output.name == name))
        }
        _ => Ok(None),
    }
}

/// The name PostgreSQL gives an output that has none.
pub(super) fn column_name(expr: &ast::Expr) -> String {
    match expr {
        ast::Expr::Identifier(name) => ident(name),
        ast::Expr::CompoundIdentifier(parts) => parts.last().map(ident).unwrap_or_default(),
        ast::Expr::Function(call) => object(&call.name).unwrap_or_default(),
        ast::Expr::Cast { expr, data_type, .. } => match column_name(expr) {
            name if name == "?column?" => data_type.to_string().to_lowercase(),
            name => name,
        },
        ast::Expr::Nested(inner) => column_name(inner),
        ast::Expr::Case { else_result, .. } => match else_result.as_deref().map(column_name) {
            Some(name) if name != "?column?" => name,
            _ => "case".to_owned(),
        },
        ast::Expr::Exists { .. } => "exists".to_owned(),
        ast::Expr::Array(_) => "array".to_owned(),
        ast::Expr::Extract { .. } => "extract".to_owned(),
        ast::Expr::Subquery(query) => match &*query.body {
            ast::SetExpr::Select(select) => match select.projection.first() {
                Some(ast::SelectItem::UnnamedExpr(expr)) => column_name(expr),
                Some(ast::SelectItem::ExprWithAlias { alias, .. }) => ident(alias),
                _ => "?column?".to_owned(),
            },
            _ => "?column?".to_owned(),
        },
        _ => "?column?".to_owned(),
    }
}

/// Whether it matters how often a query runs.
pub(super) fn locks_or_acts(query: &Query, binder: &Binder<'_>) -> bool {
    let outputs = query.output.iter().map(|output| &output.expr);
    let mut found = !query.locking.is_empty();
    for expr in outputs.chain(&query.filter) {
        visit(expr, &mut |expr| found |= matches!(expr, Expr::Act(..)));
    }
    if let Some(from) = &query.from {
        let mut rels = Vec::new();
        crate::plan::from_rels(from, &mut rels);
        for rel in rels {
            if let Source::Subquery(inner) = &binder.rels[rel as usize].source {
                found |= locks_or_acts(inner, binder);
            }
        }
    }
    found
}
