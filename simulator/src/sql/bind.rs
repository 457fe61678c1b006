//! The binder: relations, scopes, and where names are found.

use super::refuse;
use super::tokens::LockWords;
use super::types::{TEXT, UNKNOWN};
use crate::bound::{Cte, Dml, Expr, Kind, Rel, RelIx, Source, Statement, SubPlan, SystemColumn};
use crate::catalog::Catalog;
use crate::error::SqlError;
use crate::value::{Scalar, Type};
use sqlparser::ast;

/// Names that can be used at one place of a query.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Relations of its FROM so far.
    pub(super) rels: Vec<RelIx>,
    /// CTEs that it introduced: name and place.
    pub(super) ctes: Vec<(String, u16)>,
    /// Aggregates are collected here, if they are allowed.
    pub(super) group: Option<super::group::Collect>,
}

/// A CTE's column names and types, and whether it was called MATERIALIZED (true) or not (false).
pub(super) type CteShape = (Vec<(String, Type)>, Option<bool>);

/// Binds one statement.
pub(super) struct Binder<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) locks: &'a [LockWords],
    pub(super) rels: Vec<Rel>,
    pub(super) ctes: Vec<Cte>,
    /// Column names and types of each CTE, and whether it was called MATERIALIZED or not.
    pub(super) cte_columns: Vec<CteShape>,
    pub(super) subplans: Vec<SubPlan>,
    pub(super) params: Vec<Option<Type>>,
    pub(super) scopes: Vec<Scope>,
}

impl<'a> Binder<'a> {
    /// A binder against these tables.
    pub(super) fn new(catalog: &'a Catalog) -> Binder<'a> {
        Binder {
            catalog,
            locks: &[],
            rels: Vec::new(),
            ctes: Vec::new(),
            cte_columns: Vec::new(),
            subplans: Vec::new(),
            params: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// The statement, once its kind is known.
    pub(super) fn finish(self, kind: Kind) -> Statement {
        let mut statement = Statement {
            kind,
            rels: self.rels,
            ctes: self.ctes,
            subplans: self.subplans,
            params: self.params.into_iter().map(|ty| ty.unwrap_or(TEXT)).collect(),
        };
        let correlated: Vec<bool> =
            statement.subplans.iter().map(|sub| !crate::plan::free_rels(&sub.query, &statement).is_empty()).collect();
        for (sub, correlated) in statement.subplans.iter_mut().zip(correlated) {
            sub.correlated = correlated;
        }
        statement
    }

    /// Any statement that came as a tree.
    pub(super) fn statement(&mut self, statement: &ast::Statement) -> Result<Kind, SqlError> {
        Ok(match statement {
            ast::Statement::Query(query) => Kind::Dml(self.top(query)?),
            ast::Statement::Insert(insert) => {
                self.scopes.push(Scope::default());
                Kind::Dml(Dml::Insert(self.insert(insert)?))
            }
            ast::Statement::Update(update) => {
                self.scopes.push(Scope::default());
                Kind::Dml(Dml::Update(self.update(update)?))
            }
            ast::Statement::Delete(delete) => {
                self.scopes.push(Scope::default());
                Kind::Dml(Dml::Delete(self.delete(delete)?))
            }
            ast::Statement::CreateTable(table) => Kind::CreateTable(self.create_table(table)?),
            ast::Statement::CreateIndex(index) => self.create_index(index)?,
            ast::Statement::AlterTable(alter) => self.alter_table(alter)?,
            other => {
                let text = other.to_string();
                let words: Vec<&str> = text.split_whitespace().take(2).collect();
                return Err(SqlError::outside_subset(words.join(" ")));
            }
        })
    }

    /// Adds a relation; it is visible in the innermost scope once it is pushed there.
    pub(super) fn add_rel(&mut self, name: String, columns: Vec<(String, Type)>, source: Source) -> RelIx {
        self.rels.push(Rel { name, columns, source });
        (self.rels.len() - 1) as RelIx
    }

    /// The innermost scope.
    #[allow(clippy::expect_used)]
    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("names are looked up inside a query")
    }

    /// Shows a relation in the innermost scope: 42712 if its name is taken.
    pub(super) fn show(&mut self, rel: RelIx) -> Result<(), SqlError> {
        let name = self.rels[rel as usize].name.clone();
        if self.scope().rels.clone().iter().any(|other| self.rels[*other as usize].name == name) {
            return Err(SqlError::new("42712", format!("table name \"{name}\" specified more than once")));
        }
        self.scope().rels.push(rel);
        Ok(())
    }

    /// A column by its bare name.
    pub(super) fn column(&mut self, name: &str) -> Result<(Expr, Type), SqlError> {
        for level in (0..self.scopes.len()).rev() {
            let mut found = None;
            for rel in &self.scopes[level].rels {
                for (n, (column, ty)) in self.rels[*rel as usize].columns.iter().enumerate() {
                    if column == name {
                        if found.is_some() {
                            return Err(SqlError::new("42702", format!("column reference \"{name}\" is ambiguous")));
                        }
                        found = Some((Expr::Column(*rel, n as u16), *ty));
                    }
                }
            }
            if found.is_none()
                && let Some(system) = system_column(name)
                && let [rel] = self.scopes[level].rels[..]
                && matches!(self.rels[rel as usize].source, Source::Table(_))
            {
                found = Some((Expr::System(rel, system), system_type(system)));
            }
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Err(SqlError::new("42703", format!("column \"{name}\" does not exist")))
    }

    /// A relation that is visible by this name.
    pub(super) fn rel_named(&self, name: &str) -> Option<RelIx> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.rels.iter().copied().find(|rel| self.rels[*rel as usize].name == name))
    }

    /// A column by relation and name.
    pub(super) fn qualified(&mut self, qualifier: &str, name: &str) -> Result<(Expr, Type), SqlError> {
        let rel = self
            .rel_named(qualifier)
            .ok_or_else(|| SqlError::new("42P01", format!("missing FROM-clause entry for table \"{qualifier}\"")))?;
        let data = &self.rels[rel as usize];
        if let Some(n) = data.columns.iter().position(|(column, _)| column == name) {
            return Ok((Expr::Column(rel, n as u16), data.columns[n].1));
        }
        match system_column(name) {
            Some(system) if matches!(data.source, Source::Table(_)) => {
                Ok((Expr::System(rel, system), system_type(system)))
            }
            _ => Err(SqlError::new("42703", format!("column {qualifier}.{name} does not exist"))),
        }
    }

    /// A CTE by name.
    pub(super) fn cte_named(&self, name: &str) -> Option<u16> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.ctes.iter().rev().find(|(other, _)| other == name))
            .map(|(_, cte)| *cte)
    }

    /// The type of a parameter, if it has one yet; the number is from 0.
    pub(super) fn param(&mut self, text: &str) -> Result<(Expr, Type), SqlError> {
        let number: usize = text
            .strip_prefix('$')
            .and_then(|digits| digits.parse().ok())
            .filter(|number| (1..=1000).contains(number))
            .ok_or_else(|| SqlError::new("42P02", format!("there is no parameter {text}")))?;
        if self.params.len() < number {
            self.params.resize(number, None);
        }
        Ok((Expr::Param((number - 1) as u16), self.params[number - 1].unwrap_or(UNKNOWN)))
    }
}

fn system_column(name: &str) -> Option<SystemColumn> {
    match name {
        "ctid" => Some(SystemColumn::Ctid),
        "xmin" => Some(SystemColumn::Xmin),
        "xmax" => Some(SystemColumn::Xmax),
        _ => None,
    }
}

fn system_type(column: SystemColumn) -> Type {
    Type::of(if column == SystemColumn::Ctid { Scalar::Tid } else { Scalar::Xid })
}

/// An identifier: lower case unless it is quoted.
pub(super) fn ident(ident: &ast::Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() }
}

/// The last part of a name; a schema before it must be one that there is here.
pub(super) fn object(name: &ast::ObjectName) -> Result<String, SqlError> {
    let mut parts = Vec::new();
    for part in &name.0 {
        match part {
            ast::ObjectNamePart::Identifier(part) => parts.push(ident(part)),
            ast::ObjectNamePart::Function(_) => return Err(SqlError::outside_subset("computed names")),
        }
    }
    let last = parts.pop().unwrap_or_default();
    refuse(parts.iter().any(|schema| !matches!(&**schema, "public" | "pg_catalog")), "schemas")?;
    Ok(last)
}
