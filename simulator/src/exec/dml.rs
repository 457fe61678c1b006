//! INSERT, UPDATE, DELETE, and what a CTE may be.

use super::Cx;
use super::foreign;
use super::node::Node;
use super::query::QueryExec;
use crate::bound::{ColumnValue, Delete, Dml, Expr, Insert, OnConflict, Output, RelIx, Strength, Update, WaitPolicy};
use crate::catalog::TableDef;
use crate::engine::change::{Change, Changed, Target};
use crate::engine::concurrent;
use crate::engine::insert::{self, Equal, IndexInsert, covers, find_equal};
use crate::engine::rowlock::{Outcome, RowLock};
use crate::error::SqlError;
use crate::expr::{Stop, eval};
use crate::plan::{Planner, RowEnv};
use crate::storage::visibility::sees;
use crate::value::{Datum, Row};
use std::rc::Rc;

/// A statement that reads or changes rows, in progress.
#[derive(Debug, Clone)]
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

fn project(cx: &mut Cx<'_>, outputs: &[Output]) -> Result<Row, Stop> {
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

#[derive(Debug, Clone)]
enum InsertStep {
    Fetch,
    /// A row is proposed: is there one like it?
    Arbitrate(Row),
    Put(Row),
    Index(Row, IndexInsert),
    /// DO UPDATE: lock the row that is there.
    Lock(Row, RowLock),
    Update(Row),
    Change(Row, Change),
    Return,
}

/// INSERT in progress.
#[derive(Debug, Clone)]
pub struct InsertExec {
    target: Rc<Target>,
    rel: RelIx,
    source: QueryExec,
    columns: Vec<ColumnValue>,
    on_conflict: Option<OnConflict>,
    returning: Vec<Output>,
    step: InsertStep,
    affected: u64,
}

impl InsertExec {
    fn next(&mut self, cx: &mut Cx<'_>) -> Result<Option<Row>, Stop> {
        loop {
            let (def, table) = (self.target.def.clone(), self.target.table);
            match &mut self.step {
                InsertStep::Fetch => {
                    let Some(source) = self.source.next(cx)? else { return Ok(None) };
                    let columns = &self.columns;
                    let row: Row = cx.guarded(|cx| {
                        columns
                            .iter()
                            .map(|column| match column {
                                ColumnValue::Source(at) => Ok(source[*at as usize].clone()),
                                ColumnValue::Default(expr) => eval(expr, cx),
                                ColumnValue::Identity => {
                                    let data = cx.engine.table_mut(table);
                                    data.next_identity += 1;
                                    Ok(Datum::Int(data.next_identity))
                                }
                            })
                            .collect()
                    })?;
                    check_row(&def, &row)?;
                    self.step =
                        if self.on_conflict.is_some() { InsertStep::Arbitrate(row) } else { InsertStep::Put(row) };
                }
                InsertStep::Arbitrate(row) => {
                    let row = row.clone();
                    self.step = match self.arbiter(cx, &row)? {
                        Equal::None => InsertStep::Put(row),
                        Equal::Undecided(xid) => {
                            cx.engine.wait_for(cx.me, xid)?;
                            continue;
                        }
                        Equal::Row(tid) => {
                            let own = cx.engine.own(cx.me);
                            let seen = cx
                                .engine
                                .tuple(table, tid)
                                .is_some_and(|tuple| sees(tuple, &cx.state.snapshot, own, &cx.engine.xacts));
                            let ours =
                                cx.engine.tuple(table, tid).is_some_and(|tuple| cx.engine.is_own(tuple.xmin, cx.me));
                            if !cx.state.newest && !seen && !ours {
                                return Err(concurrent("update").into());
                            }
                            match self.on_conflict.as_ref().and_then(|on| on.update.as_ref()) {
                                None => InsertStep::Fetch,
                                Some(_) => {
                                    let lock = RowLock::new(
                                        table,
                                        tid,
                                        Strength::Update,
                                        WaitPolicy::Block,
                                        false,
                                        cx.state.command,
                                    );
                                    InsertStep::Lock(row, lock)
                                }
                            }
                        }
                    };
                }
                InsertStep::Put(row) => {
                    let row = row.clone();
                    let index = insert::put(cx.engine, cx.me, table, row.clone(), cx.state.command);
                    self.step = InsertStep::Index(row, index);
                }
                InsertStep::Index(row, index) => {
                    index.drive(cx.engine, cx.me, &def, table)?;
                    let (row, tid) = (row.clone(), index.tid());
                    foreign::after_insert(cx, &self.target, &row);
                    cx.set(self.rel, Some(row), Some(tid));
                    self.affected += 1;
                    self.step = InsertStep::Return;
                }
                InsertStep::Lock(row, lock) => {
                    let row = row.clone();
                    self.step = match lock.drive(cx.engine, cx.me)? {
                        Outcome::Locked { tid, .. } => {
                            let existing = cx.engine.tuple(table, tid).map(|tuple| tuple.row.clone());
                            cx.set(self.rel, existing, Some(tid));
                            InsertStep::Update(row)
                        }
                        Outcome::SelfModified => {
                            let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
                            return Err(SqlError::new("21000", message).by("ExecOnConflictUpdate").into());
                        }
                        Outcome::Updated | Outcome::Deleted if !cx.state.newest => {
                            return Err(concurrent("update").into());
                        }
                        _ => InsertStep::Arbitrate(row),
                    };
                }
                InsertStep::Update(row) => {
                    let row = row.clone();
                    let Some(update) = self.on_conflict.as_ref().and_then(|on| on.update.clone()) else {
                        self.step = InsertStep::Fetch;
                        continue;
                    };
                    let (Some(old), Some(tid)) =
                        (cx.state.rows[self.rel as usize].clone(), cx.state.tids[self.rel as usize])
                    else {
                        self.step = InsertStep::Fetch;
                        continue;
                    };
                    cx.set(update.excluded, Some(row.clone()), None);
                    let new = cx.guarded(|cx| {
                        if let Some(filter) = &update.filter
                            && !crate::expr::is_true(filter, cx)?
                        {
                            return Ok(None);
                        }
                        let mut values = old.to_vec();
                        for (column, expr) in &update.set {
                            values[*column] = eval(expr, cx)?;
                        }
                        Ok(Some(Row::from(values)))
                    })?;
                    self.step = match new {
                        None => InsertStep::Fetch,
                        Some(new) => {
                            check_row(&def, &new)?;
                            let strength = self.target.strength(&old, &new);
                            InsertStep::Change(row, Change::new(tid, Some(new), strength, cx.state.command))
                        }
                    };
                }
                InsertStep::Change(row, change) => {
                    let row = row.clone();
                    self.step = match change.drive(cx.engine, cx.me, &self.target)? {
                        Changed::Done(tid) => {
                            let new = change.row().cloned();
                            if let Some(old) = cx.state.rows[self.rel as usize].clone() {
                                foreign::after_change(cx, &self.target, &old, new.as_ref());
                            }
                            cx.set(self.rel, new, Some(tid));
                            self.affected += 1;
                            InsertStep::Return
                        }
                        _ => InsertStep::Arbitrate(row),
                    };
                }
                InsertStep::Return => {
                    let row = project(cx, &self.returning)?;
                    self.step = InsertStep::Fetch;
                    return Ok(Some(row));
                }
            }
        }
    }

    /// Looks for a row that stands against the proposed one.
    fn arbiter(&self, cx: &Cx<'_>, row: &Row) -> Result<Equal, Stop> {
        let Some(on) = &self.on_conflict else { return Ok(Equal::None) };
        for (number, index) in self.target.def.indexes.iter().enumerate() {
            let arbiter = index.unique && (on.arbiters.is_empty() || on.arbiters.contains(&index.name));
            if arbiter && covers(index, row)? {
                match find_equal(cx.engine, cx.me, self.target.table, number, index, row, None) {
                    Equal::None => {}
                    found => return Ok(found),
                }
            }
        }
        Ok(Equal::None)
    }
}
