//! INSERT, UPDATE, DELETE.

use super::bind::{Binder, Scope, ident, object};
use super::query::empty;
use super::refuse;
use super::types::{Typed, UNKNOWN};
use crate::bound::{
    ColumnValue, ConflictUpdate, Delete, Expr, Insert, OnConflict, Output, Query, RelIx, Source, Update,
};
use crate::catalog::{TableDef, TableId};
use crate::error::SqlError;
use crate::value::Datum;
use sqlparser::ast;
use std::rc::Rc;

impl Binder<'_> {
    /// The table that a statement changes, visible by its name or alias.
    fn target(&mut self, name: &str, alias: Option<String>) -> Result<(TableId, Rc<TableDef>, RelIx), SqlError> {
        let (id, def) = self
            .catalog
            .find(name)
            .ok_or_else(|| SqlError::new("42P01", format!("relation \"{name}\" does not exist")))?;
        let def = def.clone();
        let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty)).collect();
        let rel = self.add_rel(alias.unwrap_or_else(|| name.to_owned()), columns, Source::Table(id));
        Ok((id, def, rel))
    }

    fn target_factor(&mut self, table: &ast::TableWithJoins) -> Result<(TableId, Rc<TableDef>, RelIx), SqlError> {
        refuse(!table.joins.is_empty(), "a join as the target")?;
        let ast::TableFactor::Table { name, alias, args: None, .. } = &table.relation else {
            return Err(SqlError::outside_subset("this target"));
        };
        if let Some(alias) = alias {
            refuse(!alias.columns.is_empty(), "column aliases of a target")?;
        }
        let name = object(name)?;
        self.target(&name, alias.as_ref().map(|alias| ident(&alias.name)))
    }

    fn returning(&mut self, items: Option<&Vec<ast::SelectItem>>) -> Result<Vec<Output>, SqlError> {
        let own = self.scope().rels.clone();
        let mut output = Vec::new();
        for item in items.into_iter().flatten() {
            self.select_item(item, &own, &mut output)?;
        }
        Ok(output)
    }

    /// SET
    fn assignments(&mut self, def: &TableDef, list: &[ast::Assignment]) -> Result<Vec<(usize, Expr)>, SqlError> {
        let mut set: Vec<(usize, Expr)> = Vec::new();
        for assignment in list {
            let ast::AssignmentTarget::ColumnName(name) = &assignment.target else {
                return Err(SqlError::outside_subset("SET (…) = (…)"));
            };
            let name = object(name)?;
            let column = column_of(def, &name)?;
            if set.iter().any(|(other, _)| *other == column) {
                return Err(SqlError::new("42601", format!("multiple assignments to same column \"{name}\"")));
            }
            let expr = if is_default(&assignment.value) {
                match default_of(def, column) {
                    ColumnValue::Default(expr) => (*expr).clone(),
                    _ => return Err(SqlError::outside_subset("SET … = DEFAULT of an identity column")),
                }
            } else {
                let typed = self.expr(&assignment.value)?;
                self.assign(typed, def.columns[column].ty, &name)?
            };
            set.push((column, expr));
        }
        Ok(set)
    }

    /// UPDATE
    pub(super) fn update(&mut self, update: &ast::Update) -> Result<Update, SqlError> {
        refuse(update.on_cluster.is_some() || update.output.is_some() || update.or.is_some(), "this form of UPDATE")?;
        refuse(
            !update.order_by.is_empty() || update.limit.is_some() || update.settings.is_some(),
            "ORDER BY or LIMIT of UPDATE",
        )?;
        let (table, def, rel) = self.target_factor(&update.table)?;
        let from = match &update.from {
            None => None,
            Some(ast::UpdateTableFromKind::AfterSet(tables)) => self.from(tables)?,
            Some(ast::UpdateTableFromKind::BeforeSet(_)) => return Err(SqlError::outside_subset("FROM before SET")),
        };
        // The target comes first in RETURNING *, but is no part of FROM.
        if self.scope().rels.clone().iter().any(|other| self.rels[*other as usize].name == self.rels[rel as usize].name)
        {
            let name = &self.rels[rel as usize].name;
            return Err(SqlError::new("42712", format!("table name \"{name}\" specified more than once")));
        }
        self.scope().rels.insert(0, rel);
        let set = self.assignments(&def, &update.assignments)?;
        let filter = update.selection.as_ref().map(|filter| self.condition(filter, "WHERE")).transpose()?;
        let returning = self.returning(update.returning.as_ref())?;
        Ok(Update { table, rel, from, filter, set, returning })
    }

    /// DELETE
    pub(super) fn delete(&mut self, delete: &ast::Delete) -> Result<Delete, SqlError> {
        refuse(
            !delete.tables.is_empty() || delete.on_cluster.is_some() || delete.output.is_some(),
            "this form of DELETE",
        )?;
        refuse(
            !delete.order_by.is_empty() || delete.limit.is_some() || delete.settings.is_some(),
            "ORDER BY or LIMIT of DELETE",
        )?;
        let (ast::FromTable::WithFromKeyword(tables) | ast::FromTable::WithoutKeyword(tables)) = &delete.from;
        let [target] = &tables[..] else { return Err(SqlError::outside_subset("DELETE from several tables")) };
        let (table, _, rel) = self.target_factor(target)?;
        let using = match &delete.using {
            None => None,
            Some(tables) => self.from(tables)?,
        };
        self.scope().rels.insert(0, rel);
        let filter = delete.selection.as_ref().map(|filter| self.condition(filter, "WHERE")).transpose()?;
        let returning = self.returning(delete.returning.as_ref())?;
        Ok(Delete { table, rel, using, filter, returning })
    }

    /// INSERT
    pub(super) fn insert(&mut self, insert: &ast::Insert) -> Result<Insert, SqlError> {
        refuse(
            insert.or.is_some() || insert.ignore || insert.overwrite || insert.replace_into || insert.by_name,
            "this form of INSERT",
        )?;
        refuse(
            insert.partitioned.is_some() || !insert.after_columns.is_empty() || !insert.assignments.is_empty(),
            "this form of INSERT",
        )?;
        refuse(
            insert.output.is_some() || insert.priority.is_some() || insert.insert_alias.is_some(),
            "this form of INSERT",
        )?;
        refuse(insert.overriding.is_some(), "OVERRIDING")?;
        let ast::TableObject::TableName(name) = &insert.table else {
            return Err(SqlError::outside_subset("this target"));
        };
        let name = object(name)?;
        let (table, def, rel) = self.target(&name, insert.table_alias.as_ref().map(|alias| ident(&alias.alias)))?;
        let mut columns = Vec::new();
        for column in &insert.columns {
            let name = object(column)?;
            let column = column_of(&def, &name)?;
            if columns.contains(&column) {
                return Err(SqlError::new("42701", format!("column \"{name}\" specified more than once")));
            }
            columns.push(column);
        }
        let explicit = !columns.is_empty();
        if !explicit {
            columns = (0..def.columns.len()).collect();
        }
        let (source, given) = self.insert_source(insert.source.as_deref(), &def, &columns, explicit)?;
        let row = (0..def.columns.len())
            .map(|column| match given.iter().position(|other| *other == Some(column)) {
                Some(_) if def.columns[column].identity_always => {
                    let message =
                        format!("cannot insert a non-DEFAULT value into column \"{}\"", def.columns[column].name);
                    Err(SqlError::new("428C9", message))
                }
                Some(place) => Ok(ColumnValue::Source(place as u16)),
                None => Ok(default_of(&def, column)),
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.scope().rels.push(rel);
        let on_conflict = match &insert.on {
            None => None,
            Some(ast::OnInsert::OnConflict(on)) => Some(self.on_conflict(on, &def)?),
            Some(_) => return Err(SqlError::outside_subset("ON DUPLICATE KEY")),
        };
        let returning = self.returning(insert.returning.as_ref())?;
        Ok(Insert { table, rel, source, columns: row, on_conflict, returning })
    }

    /// The rows to insert, and which column each of their values is for.
    fn insert_source(
        &mut self,
        source: Option<&ast::Query>,
        def: &TableDef,
        columns: &[usize],
        explicit: bool,
    ) -> Result<(Query, Vec<Option<usize>>), SqlError> {
        let Some(source) = source else { return Ok((empty(), Vec::new())) };
        if let ast::SetExpr::Values(values) = &*source.body
            && source.with.is_none()
            && source.order_by.is_none()
            && source.limit_clause.is_none()
        {
            return self.insert_values(values, def, columns, explicit);
        }
        let mut query = self.query(source)?;
        check_width(query.output.len(), columns.len(), explicit)?;
        let mut given = Vec::new();
        for (output, column) in query.output.iter_mut().zip(columns) {
            let declared = &def.columns[*column];
            let typed = (output.expr.clone(), output.ty);
            // A literal of the select list is still open to the column's type.
            let typed = if matches!(&typed, (Expr::Const(Datum::Text(_)), _)) { (typed.0, UNKNOWN) } else { typed };
            output.expr = self.assign(typed, declared.ty, &declared.name)?;
            output.ty = declared.ty;
            given.push(Some(*column));
        }
        Ok((query, given))
    }

    fn insert_values(
        &mut self,
        values: &ast::Values,
        def: &TableDef,
        columns: &[usize],
        explicit: bool,
    ) -> Result<(Query, Vec<Option<usize>>), SqlError> {
        self.scopes.push(Scope::default());
        let width = values.rows.first().map_or(0, |row| row.content.len());
        check_width(width, columns.len(), explicit)?;
        let mut rows = Vec::new();
        let mut always = vec![true; width];
        for row in &values.rows {
            if row.content.len() != width {
                return Err(SqlError::new("42601", "VALUES lists must all be the same length"));
            }
            let mut exprs = Vec::new();
            for (n, (value, column)) in row.content.iter().zip(columns).enumerate() {
                let declared = &def.columns[*column];
                exprs.push(if is_default(value) {
                    match default_of(def, *column) {
                        ColumnValue::Default(expr) => (*expr).clone(),
                        _ => Expr::Const(Datum::Null),
                    }
                } else {
                    always[n] = false;
                    let typed: Typed = self.expr(value)?;
                    self.assign(typed, declared.ty, &declared.name)?
                });
            }
            rows.push(exprs);
        }
        self.scopes.pop();
        let shape: Vec<_> = columns
            .iter()
            .take(width)
            .map(|column| (def.columns[*column].name.clone(), def.columns[*column].ty))
            .collect();
        let rel = self.add_rel("*VALUES*".to_owned(), shape.clone(), Source::Values(rows));
        let output = shape
            .into_iter()
            .enumerate()
            .map(|(n, (name, ty))| Output { expr: Expr::Column(rel, n as u16), name, ty })
            .collect();
        let given = columns.iter().zip(&always).map(|(column, all_default)| {
            let identity = def.columns[*column].identity;
            (!(*all_default && identity)).then_some(*column)
        });
        let given = given.take(width).collect();
        Ok((Query { from: Some(crate::bound::From::Rel(rel)), output, ..empty() }, given))
    }

    fn on_conflict(&mut self, on: &ast::OnConflict, def: &TableDef) -> Result<OnConflict, SqlError> {
        let no_arbiter = || {
            SqlError::new("42P10", "there is no unique or exclusion constraint matching the ON CONFLICT specification")
        };
        let arbiters = match &on.conflict_target {
            None => Vec::new(),
            Some(ast::ConflictTarget::OnConstraint(name)) => {
                let name = object(name)?;
                let index = def.indexes.iter().find(|index| index.unique && index.name == name);
                let message = || SqlError::new("42704", format!("constraint \"{name}\" does not exist"));
                vec![index.ok_or_else(message)?.name.clone()]
            }
            Some(ast::ConflictTarget::Columns { columns, predicate }) => {
                let mut wanted =
                    columns.iter().map(|column| column_of(def, &ident(column))).collect::<Result<Vec<_>, _>>()?;
                wanted.sort_unstable();
                let with_predicate = predicate.is_some();
                let fitting = def.indexes.iter().filter(|index| {
                    let mut columns: Vec<usize> = index.columns.iter().map(|(column, _)| *column).collect();
                    columns.sort_unstable();
                    // A partial index needs a predicate; whether it implies the index's is taken on trust of its text.
                    index.unique && columns == wanted && (index.predicate.is_none() || with_predicate)
                });
                let names: Vec<String> = fitting.map(|index| index.name.clone()).collect();
                if names.is_empty() {
                    return Err(no_arbiter());
                }
                names
            }
        };
        let update = match &on.action {
            ast::OnConflictAction::DoNothing => None,
            ast::OnConflictAction::DoUpdate(update) => {
                if arbiters.is_empty() {
                    return Err(SqlError::new(
                        "42601",
                        "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                    ));
                }
                let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty)).collect();
                let excluded = self.add_rel("excluded".to_owned(), columns, Source::Excluded);
                self.scope().rels.push(excluded);
                // Bare names are the target's: the proposed row is reached by EXCLUDED only.
                let set = self.target_first(|binder| binder.assignments(def, &update.assignments))?;
                let filter = self.target_first(|binder| {
                    update.selection.as_ref().map(|filter| binder.condition(filter, "WHERE")).transpose()
                })?;
                self.scope().rels.pop();
                Some(ConflictUpdate { excluded, set, filter })
            }
        };
        Ok(OnConflict { arbiters, update })
    }

    /// Binds with the innermost scope split in two, so that a bare name is looked for in its first relations first.
    fn target_first<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, SqlError>) -> Result<T, SqlError> {
        let Some(excluded) = self.scope().rels.pop() else { return f(self) };
        let below = std::mem::take(self.scope());
        self.scope().rels.push(excluded);
        self.scopes.push(below);
        let result = f(self);
        let below = self.scopes.pop().unwrap_or_default();
        *self.scope() = below;
        self.scope().rels.push(excluded);
        result
    }
}

fn check_width(values: usize, columns: usize, explicit: bool) -> Result<(), SqlError> {
    if values > columns {
        return Err(SqlError::new("42601", "INSERT has more expressions than target columns"));
    }
    if explicit && values < columns {
        return Err(SqlError::new("42601", "INSERT has more target columns than expressions"));
    }
    Ok(())
}

/// A column by name: 42703.
pub(super) fn column_of(def: &TableDef, name: &str) -> Result<usize, SqlError> {
    def.column(name)
        .ok_or_else(|| SqlError::new("42703", format!("column \"{name}\" of relation \"{}\" does not exist", def.name)))
}

fn is_default(expr: &ast::Expr) -> bool {
    matches!(expr, ast::Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default"))
}

fn default_of(def: &TableDef, column: usize) -> ColumnValue {
    let column = &def.columns[column];
    match &column.default {
        _ if column.identity => ColumnValue::Identity,
        Some(expr) => ColumnValue::Default(expr.clone()),
        None => ColumnValue::Default(Rc::new(Expr::Const(Datum::Null))),
    }
}
