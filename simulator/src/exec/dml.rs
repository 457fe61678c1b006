//! INSERT, UPDATE, DELETE, and what a CTE may be.

use super::Cx;
use super::foreign;
use super::insert::{InsertExec, InsertStep};
use super::node::Node;
use super::query::QueryExec;
use crate::bound::{Delete, Dml, Expr, Insert, Output, RelIx, Strength, Update, WaitPolicy};
use crate::catalog::TableDef;
use crate::engine::change::{Change, Changed, Target};
use crate::engine::concurrent;
use crate::engine::rowlock::{Outcome, RowLock};
use crate::error::SqlError;
use crate::expr::{Stop, eval};
use crate::plan::{Planner, RowEnv};
use crate::value::Row;
use std::rc::Rc;

/// A statement that reads or changes rows, in progress.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "always behind a box of its own")]
pub enum DmlExec {
    /// SELECT
    Select(QueryExec),
    /// INSERT
    Insert(Box<InsertExec>),
    /// UPDATE or DELETE
    Modify(Box<ModifyExec>),
}

impl DmlExec {
    /// Begins again.
    pub fn rewind(&mut self) {
        match self {
            DmlExec::Select(query) => query.rewind(),
            DmlExec::Insert(insert) => {
                insert.source.rewind();
                (insert.step, insert.affected) = (InsertStep::Fetch, 0);
            }
            DmlExec::Modify(modify) => {
                modify.source.rewind();
                (modify.step, modify.affected) = (Step::Fetch, 0);
            }
        }
    }

    /// The next row of the result: of SELECT, or of RETURNING (empty rows without one).
    pub fn next(&mut self, cx: &mut Cx<'_>) -> Result<Option<Row>, Stop> {
        match self {
            DmlExec::Select(query) => query.next(cx),
            DmlExec::Insert(insert) => insert.next(cx),
            DmlExec::Modify(modify) => modify.next(cx),
        }
    }

    /// Rows changed so far; none of a SELECT.
    pub fn affected(&self) -> Option<u64> {
        match self {
            DmlExec::Select(_) => None,
            DmlExec::Insert(insert) => Some(insert.affected),
            DmlExec::Modify(modify) => Some(modify.affected),
        }
    }
}

impl Planner<'_> {
    /// Plans any of them.
    pub fn dml(&self, dml: &Dml) -> Result<DmlExec, SqlError> {
        Ok(match dml {
            Dml::Select(query) => DmlExec::Select(self.query(query)?),
            Dml::Insert(insert) => DmlExec::Insert(Box::new(self.insert(insert)?)),
            Dml::Update(Update { table, rel, from, filter, set, returning }) => {
                let source = self.source(from.as_ref(), Some((*rel, *table)), filter.as_ref(), &[], false)?;
                DmlExec::Modify(Box::new(ModifyExec::new(
                    self.target(*table)?,
                    *rel,
                    source,
                    Some(set.clone()),
                    returning,
                )))
            }
            Dml::Delete(Delete { table, rel, using, filter, returning }) => {
                let source = self.source(using.as_ref(), Some((*rel, *table)), filter.as_ref(), &[], false)?;
                DmlExec::Modify(Box::new(ModifyExec::new(self.target(*table)?, *rel, source, None, returning)))
            }
        })
    }

    fn target(&self, table: crate::catalog::TableId) -> Result<Rc<Target>, SqlError> {
        let def = self.catalog.get(table).ok_or_else(|| SqlError::new("42P01", "the table is gone"))?;
        Ok(Rc::new(Target::new(table, def)))
    }

    fn insert(&self, insert: &Insert) -> Result<InsertExec, SqlError> {
        Ok(InsertExec {
            target: self.target(insert.table)?,
            rel: insert.rel,
            source: self.query(&insert.source)?,
            columns: insert.columns.clone(),
            on_conflict: insert.on_conflict.clone(),
            returning: insert.returning.clone(),
            step: InsertStep::Fetch,
            affected: 0,
        })
    }
}

/// Constraints of one row: NOT NULL, then CHECK.
pub fn check_row(def: &TableDef, row: &Row) -> Result<(), Stop> {
    for (column, value) in def.columns.iter().zip(row.iter()) {
        if column.not_null && value.is_null() {
            let message = format!(
                "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                column.name, def.name
            );
            return Err(SqlError::new("23502", message).by("ExecConstraints").into());
        }
    }
    for check in &def.checks {
        if eval(&check.expr, &mut RowEnv::new(row))?.is_false() {
            let message = format!("new row for relation \"{}\" violates check constraint \"{}\"", def.name, check.name);
            return Err(SqlError::new("23514", message).by("ExecConstraints").into());
        }
    }
    Ok(())
}

/// A row of a select list or of RETURNING.
pub(super) fn project(cx: &mut Cx<'_>, outputs: &[Output]) -> Result<Row, Stop> {
    cx.guarded(|cx| outputs.iter().map(|output| eval(&output.expr, cx)).collect())
}

#[derive(Debug, Clone)]
enum Step {
    Fetch,
    Prepare,
    Change(Change),
    /// The row had changed: lock its newest version.
    Relock(RowLock),
    /// The newest version is locked: does the statement still want it?
    Recheck,
    Return,
}

/// UPDATE or DELETE in progress.
#[derive(Debug, Clone)]
pub struct ModifyExec {
    target: Rc<Target>,
    rel: RelIx,
    source: Node,
    conditions: Vec<Expr>,
    /// SET; none is a DELETE.
    set: Option<Vec<(usize, Expr)>>,
    returning: Vec<Output>,
    step: Step,
    affected: u64,
}

impl ModifyExec {
    fn new(
        target: Rc<Target>,
        rel: RelIx,
        source: crate::plan::Planned,
        set: Option<Vec<(usize, Expr)>>,
        returning: &[Output],
    ) -> ModifyExec {
        let crate::plan::Planned { node, conditions, .. } = source;
        ModifyExec {
            target,
            rel,
            source: node,
            conditions,
            set,
            returning: returning.to_vec(),
            step: Step::Fetch,
            affected: 0,
        }
    }

    fn next(&mut self, cx: &mut Cx<'_>) -> Result<Option<Row>, Stop> {
        loop {
            match &mut self.step {
                Step::Fetch => {
                    if !self.source.next(cx)? {
                        return Ok(None);
                    }
                    self.step = Step::Prepare;
                }
                Step::Prepare => {
                    let (Some(old), Some(tid)) =
                        (cx.state.rows[self.rel as usize].clone(), cx.state.tids[self.rel as usize])
                    else {
                        self.step = Step::Fetch;
                        continue;
                    };
                    let command = cx.state.command;
                    let change = match &self.set {
                        None => Change::new(tid, None, Strength::Update, command),
                        Some(set) => {
                            let row: Row = cx.guarded(|cx| {
                                let mut values = old.to_vec();
                                for (column, expr) in set {
                                    values[*column] = eval(expr, cx)?;
                                }
                                Ok(values.into())
                            })?;
                            check_row(&self.target.def, &row)?;
                            let strength = self.target.strength(&old, &row);
                            Change::new(tid, Some(row), strength, command)
                        }
                    };
                    self.step = Step::Change(change);
                }
                Step::Change(change) => match change.drive(cx.engine, cx.me, &self.target)? {
                    Changed::Done(tid) => {
                        let old = cx.state.rows[self.rel as usize].clone();
                        let new = change.row().cloned();
                        if let Some(old) = &old {
                            foreign::after_change(cx, &self.target, old, new.as_ref());
                        }
                        if let Some(new) = new {
                            cx.set(self.rel, Some(new), Some(tid));
                        }
                        self.affected += 1;
                        self.step = Step::Return;
                    }
                    Changed::SelfModified => self.step = Step::Fetch,
                    outcome @ (Changed::Updated | Changed::Deleted) => {
                        if !cx.state.newest {
                            return Err(
                                concurrent(if outcome == Changed::Updated { "update" } else { "delete" }).into()
                            );
                        }
                        let Some(tid) = cx.state.tids[self.rel as usize].filter(|_| outcome == Changed::Updated) else {
                            self.step = Step::Fetch;
                            continue;
                        };
                        // As strong as the change will be: a DELETE, or an UPDATE that sets a key column.
                        let strength = match &self.set {
                            Some(set) if !set.iter().any(|(column, _)| self.target.key_columns.contains(column)) => {
                                Strength::NoKeyUpdate
                            }
                            _ => Strength::Update,
                        };
                        let (table, command) = (self.target.table, cx.state.command);
                        self.step = Step::Relock(RowLock::new(table, tid, strength, WaitPolicy::Block, true, command));
                    }
                },
                Step::Relock(lock) => match lock.drive(cx.engine, cx.me)? {
                    Outcome::Locked { tid, .. } => {
                        let row = cx.engine.tuple(self.target.table, tid).map(|tuple| tuple.row.clone());
                        cx.set(self.rel, row, Some(tid));
                        self.step = Step::Recheck;
                    }
                    _ => self.step = Step::Fetch,
                },
                Step::Recheck => {
                    self.step = if cx.holds(&self.conditions)? { Step::Prepare } else { Step::Fetch };
                }
                Step::Return => {
                    let row = project(cx, &self.returning)?;
                    self.step = Step::Fetch;
                    return Ok(Some(row));
                }
            }
        }
    }
}
