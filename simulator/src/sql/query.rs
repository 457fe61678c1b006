//! SELECT, VALUES, WITH, FROM, and where the locking clauses go.

use super::bind::{Binder, Scope, ident, object};
use super::from::rename;
use super::group::sort_key;
use super::outputs::{column_name, locks_or_acts, position};
use super::refuse;
use super::types::{TEXT, Typed, UNKNOWN};
use crate::bound::{Cte, Dml, Expr, From, Order, Output, Query, RelIx, Source};
use crate::error::SqlError;
use crate::value::{Scalar, Type};
use sqlparser::ast;

impl Binder<'_> {
    /// A query as a statement, with its CTEs; its body may change rows.
    pub(super) fn top(&mut self, query: &ast::Query) -> Result<Dml, SqlError> {
        self.scopes.push(Scope::default());
        let dml = self.with_body(query);
        self.scopes.pop();
        dml
    }

    /// WITH and what follows.
    fn with_body(&mut self, query: &ast::Query) -> Result<Dml, SqlError> {
        self.with(query.with.as_ref())?;
        let bare = |query: &ast::Query| {
            refuse(
                query.order_by.is_some() || query.limit_clause.is_some() || !query.locks.is_empty(),
                "ORDER BY, LIMIT or FOR on a change of rows",
            )
        };
        Ok(match &*query.body {
            ast::SetExpr::Insert(ast::Statement::Insert(insert)) => {
                bare(query)?;
                Dml::Insert(self.insert(insert)?)
            }
            ast::SetExpr::Update(ast::Statement::Update(update)) => {
                bare(query)?;
                Dml::Update(self.update(update)?)
            }
            ast::SetExpr::Delete(ast::Statement::Delete(delete)) => {
                bare(query)?;
                Dml::Delete(self.delete(delete)?)
            }
            _ => Dml::Select(self.select_body(query)?),
        })
    }

    fn with(&mut self, with: Option<&ast::With>) -> Result<(), SqlError> {
        let Some(with) = with else { return Ok(()) };
        refuse(with.recursive, "WITH RECURSIVE")?;
        for cte in &with.cte_tables {
            let name = ident(&cte.alias.name);
            let body = self.top(&cte.query)?;
            let materialized = match cte.materialized {
                Some(ast::CteAsMaterialized::Materialized) => Some(true),
                Some(ast::CteAsMaterialized::NotMaterialized) => Some(false),
                None => None,
            };
            let outputs = match &body {
                Dml::Select(query) => &query.output,
                Dml::Insert(insert) => &insert.returning,
                Dml::Update(update) => &update.returning,
                Dml::Delete(delete) => &delete.returning,
            };
            let mut columns: Vec<(String, Type)> =
                outputs.iter().map(|output| (output.name.clone(), output.ty)).collect();
            rename(&mut columns, &cte.alias)?;
            // What acts, locks or changes runs once whatever was said; what was called MATERIALIZED too.
            let once = match &body {
                Dml::Select(query) => locks_or_acts(query, self),
                _ => true,
            };
            self.ctes.push(Cte {
                name: name.clone(),
                body,
                references: 0,
                materialized: once || materialized == Some(true),
            });
            self.cte_columns.push((columns, materialized));
            let place = (self.ctes.len() - 1) as u16;
            self.scope().ctes.push((name, place));
        }
        Ok(())
    }

    /// A query inside another: of its own scope.
    pub(super) fn query(&mut self, query: &ast::Query) -> Result<Query, SqlError> {
        match self.top(query)? {
            Dml::Select(query) => Ok(query),
            _ => Err(SqlError::outside_subset("a change of rows inside a query")),
        }
    }

    fn select_body(&mut self, query: &ast::Query) -> Result<Query, SqlError> {
        let ast::Query {
            with: _,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        refuse(fetch.is_some(), "FETCH FIRST")?;
        refuse(
            for_clause.is_some() || settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty(),
            "this clause",
        )?;
        let mut keys: &[ast::OrderByExpr] = &[];
        if let Some(order) = order_by {
            refuse(order.interpolate.is_some(), "INTERPOLATE")?;
            match &order.kind {
                ast::OrderByKind::Expressions(exprs) => keys = exprs,
                ast::OrderByKind::All(_) => return Err(SqlError::outside_subset("ORDER BY ALL")),
            }
        }
        let mut bound = match &**body {
            ast::SetExpr::Select(select) => self.select(select, keys)?,
            ast::SetExpr::Values(values) => {
                let mut query = self.values(values)?;
                query.order = self.output_order(&query.output, keys)?;
                query
            }
            ast::SetExpr::Query(inner) => {
                let inner = self.query(inner)?;
                self.wrap(inner, keys)?
            }
            ast::SetExpr::SetOperation {
                op: ast::SetOperator::Union, set_quantifier: ast::SetQuantifier::All, ..
            } => {
                let mut parts = Vec::new();
                self.union(body, &mut parts)?;
                let mut first = parts.remove(0);
                first.union_all = parts;
                self.wrap(first, keys)?
            }
            ast::SetExpr::SetOperation { op, .. } => return Err(SqlError::outside_subset(format!("{op} without ALL"))),
            other => {
                let text = other.to_string();
                return Err(SqlError::outside_subset(text.split_whitespace().next().unwrap_or_default()));
            }
        };
        match limit_clause {
            None => {}
            Some(ast::LimitClause::LimitOffset { limit, offset, limit_by }) => {
                refuse(!limit_by.is_empty(), "LIMIT BY")?;
                bound.limit = limit.as_ref().map(|limit| self.count(limit)).transpose()?;
                bound.offset = offset.as_ref().map(|offset| self.count(&offset.value)).transpose()?;
            }
            Some(_) => return Err(SqlError::outside_subset("LIMIT with a comma")),
        }
        for clause in locks {
            let words = self.lock_words(clause)?;
            self.lock_query(&mut bound, &words)?;
        }
        Ok(bound)
    }

    /// LIMIT's or OFFSET's number.
    fn count(&mut self, expr: &ast::Expr) -> Result<Expr, SqlError> {
        let typed = self.expr(expr)?;
        self.assign(typed, Type::of(Scalar::Int8), "LIMIT")
    }

    /// A SELECT from a finished query: for what is sorted or limited as a whole.
    fn wrap(&mut self, inner: Query, keys: &[ast::OrderByExpr]) -> Result<Query, SqlError> {
        let columns: Vec<(String, Type)> = inner.output.iter().map(|output| (output.name.clone(), output.ty)).collect();
        let rel = self.add_rel(String::new(), columns.clone(), Source::Subquery(Box::new(inner)));
        let output = columns
            .into_iter()
            .enumerate()
            .map(|(n, (name, ty))| Output { expr: Expr::Column(rel, n as u16), name, ty })
            .collect::<Vec<_>>();
        let order = self.output_order(&output, keys)?;
        Ok(Query { from: Some(From::Rel(rel)), output, order, ..empty() })
    }

    fn union(&mut self, body: &ast::SetExpr, parts: &mut Vec<Query>) -> Result<(), SqlError> {
        match body {
            ast::SetExpr::SetOperation {
                op: ast::SetOperator::Union,
                set_quantifier: ast::SetQuantifier::All,
                left,
                right,
            } => {
                self.union(left, parts)?;
                self.union(right, parts)
            }
            ast::SetExpr::SetOperation { op, .. } => Err(SqlError::outside_subset(format!("{op} without ALL"))),
            other => {
                self.scopes.push(Scope::default());
                let part = match other {
                    ast::SetExpr::Select(select) => self.select(select, &[]),
                    ast::SetExpr::Values(values) => self.values(values),
                    ast::SetExpr::Query(query) => self.query(query),
                    _ => Err(SqlError::outside_subset("this part of a UNION")),
                };
                self.scopes.pop();
                let part = part?;
                if let Some(first) = parts.first()
                    && first.output.len() != part.output.len()
                {
                    return Err(SqlError::new("42601", "each UNION query must have the same number of columns"));
                }
                parts.push(part);
                Ok(())
            }
        }
    }

    /// Sort keys of a query whose columns are all that there is to sort by: names and positions.
    fn output_order(&mut self, output: &[Output], keys: &[ast::OrderByExpr]) -> Result<Vec<Order>, SqlError> {
        keys.iter()
            .map(|key| {
                let place = position(&key.expr, output)?;
                let place = place
                    .ok_or_else(|| SqlError::new("0A000", "only result column names can be used in this ORDER BY"))?;
                sort_key(output[place].expr.clone(), key)
            })
            .collect()
    }

    fn values(&mut self, values: &ast::Values) -> Result<Query, SqlError> {
        refuse(values.explicit_row, "VALUES ROW")?;
        let width = values.rows.first().map_or(0, |row| row.content.len());
        let mut rows = Vec::new();
        for row in &values.rows {
            if row.content.len() != width {
                return Err(SqlError::new("42601", "VALUES lists must all be the same length"));
            }
            rows.push(row.content.iter().map(|expr| self.expr(expr)).collect::<Result<Vec<_>, _>>()?);
        }
        let mut columns = Vec::new();
        for n in 0..width {
            let column: Vec<Typed> = rows.iter().map(|row| row[n].clone()).collect();
            let known = column.iter().any(|(_, ty)| *ty != UNKNOWN);
            // Literals stay as they are: an INSERT gives them its column's type.
            let ty = if known || column.len() > 1 && column.iter().all(|(expr, _)| !matches!(expr, Expr::Const(_))) {
                let (exprs, ty) = self.common(column, "VALUES")?;
                for (row, expr) in rows.iter_mut().zip(exprs) {
                    row[n] = (expr, ty);
                }
                ty
            } else {
                UNKNOWN
            };
            columns.push((format!("column{}", n + 1), ty));
        }
        let rows = rows.into_iter().map(|row| row.into_iter().map(|(expr, _)| expr).collect()).collect();
        let rel = self.add_rel("*VALUES*".to_owned(), columns.clone(), Source::Values(rows));
        let output = columns
            .into_iter()
            .enumerate()
            .map(|(n, (name, ty))| Output { expr: Expr::Column(rel, n as u16), name, ty })
            .collect();
        Ok(Query { from: Some(From::Rel(rel)), output, ..empty() })
    }

    fn select(&mut self, select: &ast::Select, keys: &[ast::OrderByExpr]) -> Result<Query, SqlError> {
        let ast::Select { distinct, projection, from, selection, group_by, having, .. } = select;
        refuse(
            select.top.is_some()
                || select.exclude.is_some()
                || !select.lateral_views.is_empty()
                || select.prewhere.is_some(),
            "this clause",
        )?;
        refuse(select.into.is_some(), "SELECT INTO")?;
        refuse(
            !select.connect_by.is_empty() || !select.cluster_by.is_empty() || !select.distribute_by.is_empty(),
            "this clause",
        )?;
        refuse(
            !select.sort_by.is_empty() || select.qualify.is_some() || select.value_table_mode.is_some(),
            "this clause",
        )?;
        refuse(!select.named_window.is_empty(), "WINDOW")?;
        refuse(
            select.select_modifiers.is_some() || select.flavor != ast::SelectFlavor::Standard,
            "this form of SELECT",
        )?;
        let from = self.from(from)?;
        let own = self.scope().rels.clone();
        let filter = selection.as_ref().map(|filter| self.condition(filter, "WHERE")).transpose()?;
        let group_keys = match group_by {
            ast::GroupByExpr::Expressions(exprs, modifiers) => {
                refuse(!modifiers.is_empty(), "ROLLUP and its like")?;
                exprs.iter().map(|expr| self.group_key(expr, projection)).collect::<Result<Vec<_>, _>>()?
            }
            ast::GroupByExpr::All(_) => return Err(SqlError::outside_subset("GROUP BY ALL")),
        };
        self.begin_group(group_keys);
        let mut output = Vec::new();
        for item in projection {
            self.select_item(item, &own, &mut output)?;
        }
        let having = having.as_ref().map(|having| self.condition(having, "HAVING")).transpose()?;
        let mut order = Vec::new();
        for key in keys {
            let expr = match position(&key.expr, &output)? {
                Some(place) => output[place].expr.clone(),
                None => {
                    let typed = self.expr(&key.expr)?;
                    self.settle(typed, TEXT)?.0
                }
            };
            order.push(sort_key(expr, key)?);
        }
        let grouping = self.end_group(&own, &mut output, &mut order, having)?;
        let distinct = match distinct {
            None | Some(ast::Distinct::All) => false,
            Some(ast::Distinct::Distinct) => true,
            Some(ast::Distinct::On(_)) => return Err(SqlError::outside_subset("DISTINCT ON")),
        };
        if distinct {
            let shown: Vec<String> = output.iter().map(|output| format!("{:?}", output.expr)).collect();
            if order.iter().any(|order| !shown.contains(&format!("{:?}", order.expr))) {
                return Err(SqlError::new(
                    "42P10",
                    "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                ));
            }
        }
        Ok(Query { from, filter, grouping, distinct, output, order, ..empty() })
    }

    /// An item of a select list or of RETURNING.
    pub(super) fn select_item(
        &mut self,
        item: &ast::SelectItem,
        own: &[RelIx],
        output: &mut Vec<Output>,
    ) -> Result<(), SqlError> {
        let mut all = |binder: &Self, rels: &[RelIx]| {
            for rel in rels {
                for (n, (name, ty)) in binder.rels[*rel as usize].columns.iter().enumerate() {
                    output.push(Output { expr: Expr::Column(*rel, n as u16), name: name.clone(), ty: *ty });
                }
            }
        };
        match item {
            ast::SelectItem::Wildcard(options) => {
                refuse(
                    options.opt_exclude.is_some() || options.opt_except.is_some() || options.opt_replace.is_some(),
                    "options of *",
                )?;
                all(self, own);
                return Ok(());
            }
            ast::SelectItem::QualifiedWildcard(ast::SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let name = object(name)?;
                let rel = self
                    .rel_named(&name)
                    .ok_or_else(|| SqlError::new("42P01", format!("missing FROM-clause entry for table \"{name}\"")))?;
                all(self, &[rel]);
                return Ok(());
            }
            _ => {}
        }
        let (expr, alias) = match item {
            ast::SelectItem::UnnamedExpr(expr) => (expr, None),
            ast::SelectItem::ExprWithAlias { expr, alias } => (expr, Some(ident(alias))),
            _ => return Err(SqlError::outside_subset("this form of select item")),
        };
        let typed = self.expr(expr)?;
        let (bound, ty) = self.settle(typed, TEXT)?;
        output.push(Output { expr: bound, name: alias.unwrap_or_else(|| column_name(expr)), ty });
        Ok(())
    }
}

/// A query of nothing.
pub(super) fn empty() -> Query {
    Query {
        from: None,
        filter: None,
        grouping: None,
        distinct: false,
        output: Vec::new(),
        order: Vec::new(),
        limit: None,
        offset: None,
        locking: Vec::new(),
        union_all: Vec::new(),
    }
}
