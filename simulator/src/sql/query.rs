//! SELECT, VALUES, WITH, FROM, and where the locking clauses go.

use super::bind::{Binder, Scope, ident, object};
use super::group::sort_key;
use super::refuse;
use super::tokens::{LockWords, MARK};
use super::types::{TEXT, Typed, UNKNOWN};
use crate::bound::{Cte, Dml, Expr, From, Locking, Order, Output, Query, RelIx, Source, SystemView};
use crate::error::SqlError;
use crate::plan::visit;
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

    fn group_key(&mut self, expr: &ast::Expr, projection: &[ast::SelectItem]) -> Result<Typed, SqlError> {
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

    /// FROM; its relations become visible.
    pub(super) fn from(&mut self, tables: &[ast::TableWithJoins]) -> Result<Option<From>, SqlError> {
        let mut from = None;
        for table in tables {
            let mut here = From::Rel(self.factor(&table.relation)?);
            for join in &table.joins {
                refuse(join.global, "GLOBAL JOIN")?;
                let (outer, swapped, constraint) = match &join.join_operator {
                    ast::JoinOperator::Join(on) | ast::JoinOperator::Inner(on) | ast::JoinOperator::CrossJoin(on) => {
                        (false, false, on)
                    }
                    ast::JoinOperator::Left(on) | ast::JoinOperator::LeftOuter(on) => (true, false, on),
                    ast::JoinOperator::Right(on) | ast::JoinOperator::RightOuter(on) => (true, true, on),
                    _ => return Err(SqlError::outside_subset("this kind of join")),
                };
                let right = From::Rel(self.factor(&join.relation)?);
                let on = match constraint {
                    ast::JoinConstraint::On(on) => Some(self.condition(on, "JOIN/ON")?),
                    ast::JoinConstraint::None => None,
                    _ => return Err(SqlError::outside_subset("JOIN USING and NATURAL JOIN")),
                };
                let (left, right) = if swapped { (right, here) } else { (here, right) };
                here = From::Join { left: Box::new(left), right: Box::new(right), outer, on };
            }
            from = Some(match from {
                None => here,
                Some(left) => From::Join { left: Box::new(left), right: Box::new(here), outer: false, on: None },
            });
        }
        Ok(from)
    }

    /// One item of FROM.
    fn factor(&mut self, factor: &ast::TableFactor) -> Result<RelIx, SqlError> {
        let (mut columns, source, alias, own_name) = match factor {
            ast::TableFactor::Table { name, alias, args: None, sample, version, with_ordinality, .. } => {
                refuse(sample.is_some() || version.is_some() || *with_ordinality, "this form of table")?;
                let name = object(name)?;
                let (columns, source) = self.table_source(&name)?;
                (columns, source, alias, name)
            }
            ast::TableFactor::Table { name, alias, args: Some(args), with_ordinality, .. } => {
                refuse(*with_ordinality, "WITH ORDINALITY")?;
                let name = object(name)?;
                let (columns, source) = self.function_source(&name, &args.args, alias.as_ref())?;
                (columns, source, alias, name)
            }
            ast::TableFactor::Function { name, args, alias, with_ordinality, .. } => {
                refuse(*with_ordinality, "WITH ORDINALITY")?;
                let name = object(name)?;
                let (columns, source) = self.function_source(&name, args, alias.as_ref())?;
                (columns, source, alias, name)
            }
            ast::TableFactor::UNNEST { alias, array_exprs, with_offset, with_ordinality, .. } => {
                refuse(*with_offset || *with_ordinality, "WITH ORDINALITY")?;
                let (columns, source) = self.unnest(array_exprs.iter())?;
                (columns, source, alias, "unnest".to_owned())
            }
            ast::TableFactor::Derived { lateral, subquery, alias, sample } => {
                refuse(sample.is_some(), "TABLESAMPLE")?;
                // Only LATERAL sees what stands before it in FROM.
                let hidden = if *lateral { Vec::new() } else { std::mem::take(&mut self.scope().rels) };
                let query = self.query(subquery);
                if !*lateral {
                    self.scope().rels = hidden;
                }
                let query = query?;
                let columns = query.output.iter().map(|output| (output.name.clone(), output.ty)).collect();
                (columns, Source::Subquery(Box::new(query)), alias, String::new())
            }
            _ => return Err(SqlError::outside_subset("this form of FROM item")),
        };
        let name = match alias {
            Some(alias) => {
                rename(&mut columns, alias)?;
                ident(&alias.name)
            }
            None => own_name,
        };
        let rel = self.add_rel(name, columns, source);
        self.show(rel)?;
        Ok(rel)
    }

    /// A name in FROM: a CTE, a table, one of PostgreSQL's views.
    fn table_source(&mut self, name: &str) -> Result<(Vec<(String, Type)>, Source), SqlError> {
        if let Some(cte) = self.cte_named(name) {
            let body = &mut self.ctes[cte as usize];
            body.references += 1;
            let (columns, said) = self.cte_columns[cte as usize].clone();
            if body.references > 1 && said != Some(false) {
                body.materialized = true;
            }
            if body.references > 1 && said == Some(false) && !body.materialized {
                return Err(SqlError::outside_subset("a NOT MATERIALIZED CTE that is read twice"));
            }
            return Ok((columns, Source::Cte(cte)));
        }
        if let Some((id, def)) = self.catalog.find(name) {
            let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty)).collect();
            return Ok((columns, Source::Table(id)));
        }
        let view = match name {
            "pg_locks" => SystemView::Locks,
            "pg_stat_activity" => SystemView::Activity,
            "pg_stat_user_tables" => SystemView::Tables,
            _ => return Err(SqlError::new("42P01", format!("relation \"{name}\" does not exist"))),
        };
        Ok((super::view_columns(view), Source::View(view)))
    }

    fn function_source(
        &mut self,
        name: &str,
        args: &[ast::FunctionArg],
        alias: Option<&ast::TableAlias>,
    ) -> Result<(Vec<(String, Type)>, Source), SqlError> {
        let mut exprs = Vec::new();
        for arg in args {
            match arg {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => exprs.push(expr),
                _ => return Err(SqlError::outside_subset("this form of argument")),
            }
        }
        match name {
            "unnest" => self.unnest(exprs.into_iter()),
            "generate_series" => {
                let mut typed = exprs.into_iter().map(|expr| self.expr(expr)).collect::<Result<Vec<_>, _>>()?;
                for one in &mut typed {
                    *one = self.settle(one.clone(), Type::of(Scalar::Int4))?;
                }
                let whole = typed.iter().all(|(_, ty)| !ty.array && super::is_integer(ty.scalar));
                refuse(!whole || !(2..=3).contains(&typed.len()), "generate_series of other than whole numbers")?;
                let wide = typed.iter().any(|(_, ty)| ty.scalar == Scalar::Int8);
                let ty = Type::of(if wide { Scalar::Int8 } else { Scalar::Int4 });
                let column = alias.map_or_else(|| "generate_series".to_owned(), |alias| ident(&alias.name));
                Ok((vec![(column, ty)], Source::Series(typed.into_iter().map(|(expr, _)| expr).collect())))
            }
            "pgrowlocks" => {
                let [ast::Expr::Value(value)] = exprs[..] else {
                    return Err(SqlError::outside_subset("pgrowlocks of a computed name"));
                };
                let ast::Value::SingleQuotedString(text) = &value.value else {
                    return Err(SqlError::outside_subset("pgrowlocks of a computed name"));
                };
                let name = text.rsplit('.').next().unwrap_or(text).trim_matches('"');
                let view = SystemView::RowLocks(super::utility::table(self.catalog, name)?);
                Ok((super::view_columns(view), Source::View(view)))
            }
            other => Err(SqlError::outside_subset(format!("the function {other} in FROM"))),
        }
    }

    fn unnest<'e>(
        &mut self,
        exprs: impl Iterator<Item = &'e ast::Expr>,
    ) -> Result<(Vec<(String, Type)>, Source), SqlError> {
        let mut columns = Vec::new();
        let mut args = Vec::new();
        for expr in exprs {
            let typed = self.expr(expr)?;
            let (expr, ty) = self.settle(typed, Type::array_of(Scalar::Text))?;
            if !ty.array {
                return Err(SqlError::new(
                    "42883",
                    format!("function unnest({}) does not exist", crate::expr::type_name(ty)),
                ));
            }
            columns.push(("unnest".to_owned(), Type::of(ty.scalar)));
            args.push(expr);
        }
        Ok((columns, Source::Unnest(args)))
    }

    /// The locking clause that a mark stands for.
    fn lock_words(&self, clause: &ast::LockClause) -> Result<LockWords, SqlError> {
        let number = clause.of.as_ref().and_then(|name| match name.0.first() {
            Some(ast::ObjectNamePart::Identifier(ident)) => ident.value.strip_prefix(MARK)?.parse::<usize>().ok(),
            _ => None,
        });
        number
            .and_then(|number| self.locks.get(number))
            .cloned()
            .ok_or_else(|| SqlError::new("42601", "a locking clause that is none"))
    }

    /// Applies a locking clause to a query, and to plain sub-selects in its FROM.
    fn lock_query(&mut self, query: &mut Query, words: &LockWords) -> Result<(), SqlError> {
        let not_allowed = |with: &str| Err(SqlError::new("0A000", format!("FOR UPDATE is not allowed with {with}")));
        if !query.union_all.is_empty() {
            return not_allowed("UNION/INTERSECT/EXCEPT");
        }
        if query.distinct {
            return not_allowed("DISTINCT clause");
        }
        if let Some(grouping) = &query.grouping {
            return not_allowed(if grouping.keys.is_empty() { "aggregate functions" } else { "GROUP BY clause" });
        }
        let (mut rels, mut nullable) = (Vec::new(), Vec::new());
        if let Some(from) = &query.from {
            sides(from, false, &mut rels, &mut nullable);
        }
        for name in &words.of {
            if !rels.iter().any(|rel| self.rels[*rel as usize].name == *name) {
                let message = format!("relation \"{name}\" in FOR UPDATE clause not found in FROM clause");
                return Err(SqlError::new("42P01", message));
            }
        }
        for rel in rels {
            let named = words.of.contains(&self.rels[rel as usize].name);
            if !words.of.is_empty() && !named {
                continue;
            }
            if let Source::Subquery(inner) = &mut self.rels[rel as usize].source {
                let mut inner = std::mem::replace(&mut **inner, empty());
                let all = LockWords { of: Vec::new(), ..words.clone() };
                self.lock_query(&mut inner, &all)?;
                self.rels[rel as usize].source = Source::Subquery(Box::new(inner));
                continue;
            }
            match &self.rels[rel as usize].source {
                Source::Table(_) => {}
                Source::Cte(_) if named => {
                    return Err(SqlError::new("0A000", "FOR UPDATE cannot be applied to a WITH query"));
                }
                _ if named => return Err(SqlError::new("0A000", "FOR UPDATE cannot be applied to a function")),
                _ => continue,
            }
            if nullable.contains(&rel) {
                return Err(SqlError::new(
                    "0A000",
                    "FOR UPDATE cannot be applied to the nullable side of an outer join",
                ));
            }
            match query.locking.iter_mut().find(|locking| locking.rel == rel) {
                Some(locking) => {
                    locking.strength = locking.strength.max(words.strength);
                    locking.wait = stricter(locking.wait, words.wait);
                }
                None => query.locking.push(Locking { rel, strength: words.strength, wait: words.wait }),
            }
        }
        Ok(())
    }
}

/// NOWAIT before SKIP LOCKED before waiting, where two clauses speak of one table (manual 15, SELECT).
fn stricter(a: crate::bound::WaitPolicy, b: crate::bound::WaitPolicy) -> crate::bound::WaitPolicy {
    use crate::bound::WaitPolicy::*;
    match (a, b) {
        (Error, _) | (_, Error) => Error,
        (Skip, _) | (_, Skip) => Skip,
        _ => Block,
    }
}

fn sides(from: &From, is_nullable: bool, rels: &mut Vec<RelIx>, nullable: &mut Vec<RelIx>) {
    match from {
        From::Rel(rel) => {
            rels.push(*rel);
            if is_nullable {
                nullable.push(*rel);
            }
        }
        From::Join { left, right, outer, .. } => {
            sides(left, is_nullable, rels, nullable);
            sides(right, is_nullable || *outer, rels, nullable);
        }
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

/// The place of an output that ORDER BY names or counts.
fn position(expr: &ast::Expr, output: &[Output]) -> Result<Option<usize>, SqlError> {
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
fn column_name(expr: &ast::Expr) -> String {
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

/// Column names of an alias.
fn rename(columns: &mut [(String, Type)], alias: &ast::TableAlias) -> Result<(), SqlError> {
    refuse(alias.at.is_some(), "AT")?;
    if alias.columns.len() > columns.len() {
        let message = format!(
            "table \"{}\" has {} columns available but {} columns specified",
            alias.name,
            columns.len(),
            alias.columns.len()
        );
        return Err(SqlError::new("42P10", message));
    }
    for (column, named) in columns.iter_mut().zip(&alias.columns) {
        refuse(named.data_type.is_some(), "a column definition list")?;
        column.0 = ident(&named.name);
    }
    Ok(())
}

/// Whether it matters how often a query runs.
fn locks_or_acts(query: &Query, binder: &Binder<'_>) -> bool {
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
