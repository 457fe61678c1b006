//! FROM.

use super::bind::{Binder, ident, object};
use super::refuse;
use crate::bound::{From, RelIx, Source, SystemView};
use crate::error::SqlError;
use crate::value::{Scalar, Type};
use sqlparser::ast;

impl Binder<'_> {
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
}

/// Column names of an alias.
pub(super) fn rename(columns: &mut [(String, Type)], alias: &ast::TableAlias) -> Result<(), SqlError> {
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
