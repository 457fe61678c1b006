//! INSERT, with ON CONFLICT.

use super::dml::{check_row, project};
use super::query::QueryExec;
use super::{Cx, foreign};
use crate::bound::{ColumnValue, OnConflict, Output, RelIx, Strength, WaitPolicy};
use crate::engine::change::{Change, Changed, Target};
use crate::engine::concurrent;
use crate::engine::insert::{self, Equal, IndexInsert, covers, find_equal};
use crate::engine::rowlock::{Outcome, RowLock};
use crate::error::SqlError;
use crate::expr::{Stop, eval};
use crate::storage::visibility::sees;
use crate::value::{Datum, Row};
use std::rc::Rc;

#[derive(Debug, Clone)]
pub(super) enum InsertStep {
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
    pub(super) target: Rc<Target>,
    pub(super) rel: RelIx,
    pub(super) source: QueryExec,
    pub(super) columns: Vec<ColumnValue>,
    pub(super) on_conflict: Option<OnConflict>,
    pub(super) returning: Vec<Output>,
    pub(super) step: InsertStep,
    pub(super) affected: u64,
}

impl InsertExec {
    pub(super) fn next(&mut self, cx: &mut Cx<'_>) -> Result<Option<Row>, Stop> {
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
