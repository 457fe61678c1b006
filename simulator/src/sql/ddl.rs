//! CREATE TABLE, CREATE INDEX, ALTER TABLE ADD COLUMN.

use super::bind::{Binder, Scope, ident, object};
use super::dml::column_of;
use super::refuse;
use super::types::declared;
use crate::bound::{Expr, Kind, NewForeignKey, NewTable, Source};
use crate::catalog::{Check, Column, IndexDef, Reaction, TableDef};
use crate::error::SqlError;

use sqlparser::ast;
use std::rc::Rc;

fn reaction(action: Option<&ast::ReferentialAction>) -> Result<Reaction, SqlError> {
    Ok(match action {
        None | Some(ast::ReferentialAction::NoAction | ast::ReferentialAction::Restrict) => Reaction::Refuse,
        Some(ast::ReferentialAction::Cascade) => Reaction::Cascade,
        Some(ast::ReferentialAction::SetNull) => Reaction::SetNull,
        Some(ast::ReferentialAction::SetDefault) => {
            return Err(SqlError::outside_subset("SET DEFAULT of a foreign key"));
        }
    })
}

impl Binder<'_> {
    /// CREATE TABLE
    pub(super) fn create_table(&mut self, table: &ast::CreateTable) -> Result<NewTable, SqlError> {
        refuse(
            table.or_replace || table.external || table.global.is_some() || table.transient,
            "this form of CREATE TABLE",
        )?;
        refuse(table.temporary, "temporary tables")?;
        refuse(
            table.query.is_some() || table.like.is_some() || table.clone.is_some(),
            "a CREATE TABLE from something",
        )?;
        refuse(table.inherits.is_some(), "INHERITS")?;
        refuse(table.partition_by.is_some() || table.partition_of.is_some(), "partitioned tables")?;
        refuse(table.on_commit.is_some(), "ON COMMIT")?;
        refuse(!matches!(table.table_options, ast::CreateTableOptions::None), "storage parameters in CREATE TABLE")?;
        let name = object(&table.name)?;
        let mut new = NewTable {
            name: name.clone(),
            if_not_exists: table.if_not_exists,
            columns: Vec::new(),
            checks: Vec::new(),
            indexes: Vec::new(),
            foreign_keys: Vec::new(),
        };
        for column in &table.columns {
            let column = self.column_def(column)?;
            if new.columns.iter().any(|other| other.name == column.name) {
                return Err(SqlError::new("42701", format!("column \"{}\" specified more than once", column.name)));
            }
            new.columns.push(column);
        }
        for (n, column) in table.columns.iter().enumerate() {
            let column_name = new.columns[n].name.clone();
            for option in &column.options {
                let named = option.name.as_ref().map(ident);
                match &option.option {
                    ast::ColumnOption::PrimaryKey(_) => add_key(&mut new, named, vec![n], true)?,
                    ast::ColumnOption::Unique(_) => add_key(&mut new, named, vec![n], false)?,
                    ast::ColumnOption::Check(check) => {
                        self.add_check(&mut new, named, &check.expr, Some(&column_name))?
                    }
                    ast::ColumnOption::ForeignKey(key) => self.add_foreign_key(&mut new, named, vec![n], key)?,
                    _ => {}
                }
            }
        }
        for constraint in &table.constraints {
            match constraint {
                ast::TableConstraint::PrimaryKey(key) => {
                    let columns = columns_of(&new, &key.columns)?;
                    add_key(&mut new, key.name.as_ref().map(ident), columns, true)?;
                }
                ast::TableConstraint::Unique(key) => {
                    let columns = columns_of(&new, &key.columns)?;
                    add_key(&mut new, key.name.as_ref().map(ident), columns, false)?;
                }
                ast::TableConstraint::Check(check) => {
                    self.add_check(&mut new, check.name.as_ref().map(ident), &check.expr, None)?
                }
                ast::TableConstraint::ForeignKey(key) => {
                    let columns =
                        key.columns.iter().map(|column| find(&new, &ident(column))).collect::<Result<_, _>>()?;
                    self.add_foreign_key(&mut new, key.name.as_ref().map(ident), columns, key)?;
                }
                _ => return Err(SqlError::outside_subset("this constraint")),
            }
        }
        Ok(new)
    }

    fn column_def(&mut self, column: &ast::ColumnDef) -> Result<Column, SqlError> {
        let serial = column.data_type.to_string().to_lowercase().ends_with("serial");
        let mut bound = Column {
            name: ident(&column.name),
            ty: declared(&column.data_type)?,
            not_null: serial,
            default: None,
            identity: serial,
            identity_always: false,
        };
        for option in &column.options {
            match &option.option {
                ast::ColumnOption::Null => bound.not_null = false,
                ast::ColumnOption::NotNull => bound.not_null = true,
                ast::ColumnOption::Default(expr) => {
                    self.scopes.push(Scope::default());
                    let typed = self.expr(expr)?;
                    bound.default = Some(Rc::new(self.assign(typed, bound.ty, &bound.name)?));
                    self.scopes.pop();
                }
                ast::ColumnOption::Generated { generated_as, generation_expr, .. } => {
                    refuse(generation_expr.is_some(), "generated columns")?;
                    bound.identity = true;
                    bound.not_null = true;
                    bound.identity_always = matches!(generated_as, ast::GeneratedAs::Always);
                }
                ast::ColumnOption::PrimaryKey(_)
                | ast::ColumnOption::Unique(_)
                | ast::ColumnOption::ForeignKey(_)
                | ast::ColumnOption::Check(_) => {}
                other => return Err(SqlError::outside_subset(format!("the column option {other}"))),
            }
        }
        Ok(bound)
    }

    /// A condition on one row, which is relation 0 when it is tested.
    fn row_condition(
        &mut self,
        columns: &[Column],
        name: &str,
        expr: &ast::Expr,
        clause: &str,
    ) -> Result<Expr, SqlError> {
        let mut alone = Binder::new(self.catalog);
        alone.scopes.push(Scope::default());
        let shape = columns.iter().map(|column| (column.name.clone(), column.ty)).collect();
        let rel = alone.add_rel(name.to_owned(), shape, Source::Groups);
        alone.show(rel)?;
        let bound = alone.condition(expr, clause)?;
        refuse(!alone.subplans.is_empty() || !alone.params.is_empty(), "sub-selects and parameters there")?;
        Ok(bound)
    }

    fn add_check(
        &mut self,
        new: &mut NewTable,
        name: Option<String>,
        expr: &ast::Expr,
        column: Option<&str>,
    ) -> Result<(), SqlError> {
        let bound = self.row_condition(&new.columns, &new.name, expr, "CHECK")?;
        let column = column.map(|column| format!("{column}_")).unwrap_or_default();
        let mut name = name.unwrap_or_else(|| format!("{}_{column}check", new.name));
        while new.checks.iter().any(|check| check.name == name) {
            name.push('1');
        }
        new.checks.push(Check { name, expr: Rc::new(bound) });
        Ok(())
    }

    fn add_foreign_key(
        &mut self,
        new: &mut NewTable,
        name: Option<String>,
        columns: Vec<usize>,
        key: &ast::ForeignKeyConstraint,
    ) -> Result<(), SqlError> {
        refuse(key.match_kind.is_some(), "MATCH")?;
        refuse(key.characteristics.is_some(), "deferrable constraints")?;
        let parent_name = object(&key.foreign_table)?;
        let own = parent_name == new.name;
        let here = TableDef {
            name: new.name.clone(),
            columns: new.columns.clone(),
            checks: Vec::new(),
            indexes: new.indexes.clone(),
            foreign_keys: Vec::new(),
        };
        let (parent, def) = if own {
            (None, Rc::new(here))
        } else {
            let found = self.catalog.find(&parent_name);
            let (id, def) =
                found.ok_or_else(|| SqlError::new("42P01", format!("relation \"{parent_name}\" does not exist")))?;
            (Some(id), def.clone())
        };
        let parent_columns: Vec<usize> = if key.referred_columns.is_empty() {
            let primary = def.indexes.iter().find(|index| index.primary);
            let missing =
                || SqlError::new("42704", format!("there is no primary key for referenced table \"{parent_name}\""));
            primary.ok_or_else(missing)?.columns.iter().map(|(column, _)| *column).collect()
        } else {
            key.referred_columns.iter().map(|column| column_of(&def, &ident(column))).collect::<Result<_, _>>()?
        };
        let unique = def.indexes.iter().any(|index| {
            index.unique
                && index.predicate.is_none()
                && index.columns.iter().map(|(column, _)| *column).eq(parent_columns.iter().copied())
        });
        if !unique || parent_columns.len() != columns.len() {
            let message =
                format!("there is no unique constraint matching given keys for referenced table \"{parent_name}\"");
            return Err(SqlError::new("42830", message));
        }
        let first: Vec<&str> = columns.iter().map(|column| &*new.columns[*column].name).collect();
        let name = name.unwrap_or_else(|| format!("{}_{}_fkey", new.name, first.join("_")));
        new.foreign_keys.push(NewForeignKey {
            name,
            columns,
            parent,
            parent_columns,
            on_delete: reaction(key.on_delete.as_ref())?,
            on_update: reaction(key.on_update.as_ref())?,
        });
        Ok(())
    }

    /// CREATE INDEX
    pub(super) fn create_index(&mut self, index: &ast::CreateIndex) -> Result<Kind, SqlError> {
        refuse(index.concurrently, "indexing CONCURRENTLY")?;
        refuse(!index.include.is_empty(), "INCLUDE")?;
        refuse(index.nulls_distinct == Some(false), "NULLS NOT DISTINCT")?;
        refuse(!index.with.is_empty() || !index.index_options.is_empty(), "storage parameters of an index")?;
        if let Some(method) = &index.using {
            refuse(!method.to_string().eq_ignore_ascii_case("btree"), "indexes other than btree")?;
        }
        let table_name = object(&index.table_name)?;
        let table = super::utility::table(self.catalog, &table_name)?;
        let def = self.catalog.get(table).cloned().ok_or_else(|| SqlError::new("42P01", "the table is gone"))?;
        let mut columns = Vec::new();
        for column in &index.columns {
            refuse(column.operator_class.is_some(), "operator classes")?;
            let ast::Expr::Identifier(name) = &column.column.expr else {
                return Err(SqlError::outside_subset("indexes on expressions"));
            };
            let key = super::group::sort_key(Expr::Column(0, 0), &column.column)?;
            refuse(key.nulls_first != key.descending, "NULLS FIRST of an index")?;
            columns.push((column_of(&def, &ident(name))?, key.descending));
        }
        check_columns(columns.len())?;
        let predicate = match &index.predicate {
            None => None,
            Some(expr) => Some(Rc::new(self.row_condition(&def.columns, &def.name, expr, "WHERE")?)),
        };
        let name = match &index.name {
            Some(name) => object(name)?,
            None => {
                let names: Vec<&str> = columns.iter().map(|(column, _)| &*def.columns[*column].name).collect();
                format!("{}_{}_idx", def.name, names.join("_"))
            }
        };
        let index_def = IndexDef { name, columns, unique: index.unique, primary: false, predicate };
        Ok(Kind::CreateIndex { table, index: index_def, if_not_exists: index.if_not_exists })
    }

    /// ALTER TABLE: ADD COLUMN, one at a time.
    pub(super) fn alter_table(&mut self, alter: &ast::AlterTable) -> Result<Kind, SqlError> {
        let name = object(&alter.name)?;
        let table = super::utility::table(self.catalog, &name)?;
        let [ast::AlterTableOperation::AddColumn { column_def, if_not_exists, column_position, .. }] =
            &alter.operations[..]
        else {
            return Err(SqlError::outside_subset("an ALTER TABLE other than ADD COLUMN and SET (…)"));
        };
        refuse(*if_not_exists || column_position.is_some(), "this form of ADD COLUMN")?;
        let constrained = column_def.options.iter().any(|option| {
            matches!(
                option.option,
                ast::ColumnOption::PrimaryKey(_)
                    | ast::ColumnOption::Unique(_)
                    | ast::ColumnOption::Check(_)
                    | ast::ColumnOption::ForeignKey(_)
                    | ast::ColumnOption::Generated { .. }
            )
        });
        refuse(constrained, "ADD COLUMN with a constraint")?;
        let column = self.column_def(column_def)?;
        Ok(Kind::AddColumn { table, column })
    }
}

fn find(new: &NewTable, name: &str) -> Result<usize, SqlError> {
    new.columns
        .iter()
        .position(|column| column.name == name)
        .ok_or_else(|| SqlError::new("42703", format!("column \"{name}\" named in key does not exist")))
}

fn columns_of(new: &NewTable, columns: &[ast::IndexColumn]) -> Result<Vec<usize>, SqlError> {
    columns
        .iter()
        .map(|column| match &column.column.expr {
            ast::Expr::Identifier(name) => find(new, &ident(name)),
            _ => Err(SqlError::outside_subset("keys on expressions")),
        })
        .collect()
}

fn check_columns(count: usize) -> Result<(), SqlError> {
    let most = crate::storage::index::MAX_COLUMNS;
    refuse(count > most, &format!("indexes on more than {most} columns"))
}

fn add_key(new: &mut NewTable, name: Option<String>, columns: Vec<usize>, primary: bool) -> Result<(), SqlError> {
    check_columns(columns.len())?;
    if primary {
        if new.indexes.iter().any(|index| index.primary) {
            return Err(SqlError::new(
                "42P16",
                format!("multiple primary keys for table \"{}\" are not allowed", new.name),
            ));
        }
        for column in &columns {
            new.columns[*column].not_null = true;
        }
    }
    let names: Vec<&str> = columns.iter().map(|column| &*new.columns[*column].name).collect();
    let name = name.unwrap_or_else(|| {
        if primary { format!("{}_pkey", new.name) } else { format!("{}_{}_key", new.name, names.join("_")) }
    });
    let columns = columns.into_iter().map(|column| (column, false)).collect();
    new.indexes.push(IndexDef { name, columns, unique: true, primary, predicate: None });
    Ok(())
}
