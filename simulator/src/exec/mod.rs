//! Running a planned statement. Everything that can wait keeps its place, so that a statement that was stopped by a lock
//! goes on where it was.

pub mod act;
pub mod dml;
pub mod foreign;
pub mod group;
pub mod insert;
pub mod lists;
pub mod node;
pub mod query;
pub mod views;

use crate::bound::{RelIx, SubKind, SystemColumn};
use crate::engine::Engine;
use crate::error::SqlError;
use crate::expr::{self, Env, Stop, Times};
use crate::locks::SessionId;
use crate::storage::tuple::{Tid, Xmax};
use crate::storage::xact::Snapshot;
use crate::value::{Datum, Row};
use dml::DmlExec;
use query::QueryExec;
use std::collections::VecDeque;
use std::rc::Rc;

/// A CTE's rows, computed as they are asked for.
#[derive(Debug, Clone)]
pub struct CteState {
    /// What computes them; taken out while it runs.
    pub body: Option<Box<DmlExec>>,
    /// Those that there are so far.
    pub rows: Vec<Row>,
    /// All of them.
    pub done: bool,
    /// It changes rows: it runs to its end whether they are read or not.
    pub changes: bool,
}

/// A sub-select that stands for a value.
#[derive(Debug, Clone)]
pub struct SubState {
    /// What computes it; taken out while it runs.
    pub query: Option<Box<QueryExec>>,
    /// Computed anew for each row.
    pub correlated: bool,
    /// It was begun and not finished.
    pub running: bool,
    /// Rows so far.
    pub rows: Vec<Row>,
    /// Finished, for good if it is not correlated.
    pub done: bool,
}

/// Values of acts and sub-selects of one evaluation, so that one that was stopped can be begun again without doing anything twice.
#[derive(Debug, Clone, Default)]
struct Memo {
    values: Vec<Datum>,
    at: usize,
}

/// The state of a statement in progress.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// The current row of each relation, and its address if it is a table's.
    pub rows: Vec<Option<Row>>,
    /// See [`State::rows`].
    pub tids: Vec<Option<Tid>>,
    /// Parameters.
    pub params: Vec<Datum>,
    /// What it sees.
    pub snapshot: Snapshot,
    /// Its number in its transaction.
    pub command: u32,
    /// Whether a changed row is followed to its newest version: READ COMMITTED.
    pub newest: bool,
    /// CTEs.
    pub ctes: Vec<CteState>,
    /// Sub-selects.
    pub subs: Vec<SubState>,
    /// Foreign keys to check at its end.
    pub checks: VecDeque<foreign::Check>,
    memos: Vec<Memo>,
    depth: usize,
    times: Times,
}

impl State {
    /// Of a statement with so many relations.
    pub fn new(rels: usize, ctes: Vec<CteState>, subs: Vec<SubState>) -> State {
        State { rows: vec![None; rels], tids: vec![None; rels], ctes, subs, ..State::default() }
    }

    /// Makes it ready for another run.
    pub fn reset(&mut self, params: Vec<Datum>, times: Times) {
        self.rows.fill(None);
        self.tids.fill(None);
        self.params = params;
        self.times = times;
        self.memos.clear();
        self.depth = 0;
        self.checks.clear();
        for cte in &mut self.ctes {
            cte.rows.clear();
            cte.done = false;
            if let Some(body) = &mut cte.body {
                body.rewind();
            }
        }
        for sub in &mut self.subs {
            sub.rows.clear();
            (sub.done, sub.running) = (false, false);
        }
    }
}

/// What a step of a statement works with.
pub struct Cx<'a> {
    /// The database.
    pub engine: &'a mut Engine,
    /// Whose statement it is.
    pub me: SessionId,
    /// Its state.
    pub state: &'a mut State,
}

impl Cx<'_> {
    /// Does something that evaluates expressions; if it is stopped and begun again, nothing acts twice.
    pub fn guarded<T>(&mut self, f: impl FnOnce(&mut Cx<'_>) -> Result<T, Stop>) -> Result<T, Stop> {
        let depth = self.state.depth;
        if self.state.memos.len() > depth {
            self.state.memos[depth].at = 0;
        }
        self.state.depth += 1;
        let result = f(self);
        self.state.depth = depth;
        if !matches!(result, Err(Stop::Blocked)) {
            self.state.memos.truncate(depth);
        }
        result
    }

    /// Evaluates an expression.
    pub fn value(&mut self, expr: &crate::bound::Expr) -> Result<Datum, Stop> {
        self.guarded(|cx| expr::eval(expr, cx))
    }

    /// Whether all conditions hold.
    pub fn holds(&mut self, conditions: &[crate::bound::Expr]) -> Result<bool, Stop> {
        self.guarded(|cx| {
            for condition in conditions {
                if !expr::is_true(condition, cx)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Sets a relation's current row.
    pub fn set(&mut self, rel: RelIx, row: Option<Row>, tid: Option<Tid>) {
        self.state.rows[rel as usize] = row;
        self.state.tids[rel as usize] = tid;
    }

    /// A value of this evaluation: remembered from when it was stopped, or computed now.
    fn remembered(&mut self, compute: impl FnOnce(&mut Self) -> Result<Datum, Stop>) -> Result<Datum, Stop> {
        let level = self.state.depth.saturating_sub(1);
        if self.state.memos.len() <= level {
            self.state.memos.resize_with(level + 1, Memo::default);
        }
        let memo = &mut self.state.memos[level];
        if let Some(value) = memo.values.get(memo.at) {
            memo.at += 1;
            return Ok(value.clone());
        }
        let value = compute(self)?;
        // What was computed inside is over.
        self.state.memos.truncate(level + 1);
        if self.state.memos.len() <= level {
            self.state.memos.resize_with(level + 1, Memo::default);
        }
        let memo = &mut self.state.memos[level];
        memo.values.push(value.clone());
        memo.at += 1;
        Ok(value)
    }

    /// Reads a CTE's row, computing it if it is the next; none: there are no more.
    pub fn cte_row(&mut self, cte: usize, at: usize) -> Result<Option<Row>, Stop> {
        while self.state.ctes[cte].rows.len() <= at && !self.state.ctes[cte].done {
            let Some(mut body) = self.state.ctes[cte].body.take() else {
                return Err(SqlError::new("XX000", "a CTE reads itself").into());
            };
            let next = body.next(self);
            let state = &mut self.state.ctes[cte];
            state.body = Some(body);
            match next? {
                Some(row) => state.rows.push(row),
                None => state.done = true,
            }
        }
        Ok(self.state.ctes[cte].rows.get(at).cloned())
    }

    /// Runs the CTEs that change rows to their ends.
    pub fn finish_ctes(&mut self) -> Result<(), Stop> {
        for cte in 0..self.state.ctes.len() {
            while self.state.ctes[cte].changes && !self.state.ctes[cte].done {
                let at = self.state.ctes[cte].rows.len();
                self.cte_row(cte, at)?;
            }
        }
        Ok(())
    }

    fn sub_rows(&mut self, ix: usize, most: usize) -> Result<(), Stop> {
        if self.state.subs[ix].done {
            return Ok(());
        }
        let Some(mut query) = self.state.subs[ix].query.take() else {
            return Err(SqlError::new("XX000", "a sub-select reads itself").into());
        };
        if !self.state.subs[ix].running {
            query.rewind();
            self.state.subs[ix].rows.clear();
            self.state.subs[ix].running = true;
        }
        let result = loop {
            if self.state.subs[ix].rows.len() >= most {
                break Ok(());
            }
            match query.next(self) {
                Ok(Some(row)) => self.state.subs[ix].rows.push(row),
                Ok(None) => break Ok(()),
                Err(stop) => break Err(stop),
            }
        };
        let sub = &mut self.state.subs[ix];
        sub.query = Some(query);
        if !matches!(result, Err(Stop::Blocked)) {
            sub.running = false;
            sub.done = result.is_ok() && !sub.correlated;
        }
        result
    }
}

impl Env for Cx<'_> {
    fn row(&self, rel: RelIx) -> Option<&Row> {
        self.state.rows[rel as usize].as_ref()
    }

    fn param(&self, ix: u16) -> &Datum {
        self.state.params.get(ix as usize).unwrap_or(&Datum::Null)
    }

    fn times(&self) -> Times {
        Times { clock: self.engine.now, ..self.state.times }
    }

    fn system(&self, rel: RelIx, column: SystemColumn) -> Datum {
        let Some(tid) = self.state.tids[rel as usize] else { return Datum::Null };
        let tuple = self.engine.tables.values().next().map(|_| ()).and(self.find_tuple(rel, tid));
        match (column, tuple) {
            (SystemColumn::Ctid, _) => Datum::Tid(tid.page, tid.slot + 1),
            (SystemColumn::Xmin, Some(tuple)) => Datum::Int(i64::from(tuple.xmin.0)),
            (SystemColumn::Xmax, Some(tuple)) => Datum::Int(match &tuple.xmax {
                Xmax::None => 0,
                Xmax::One(xid, _) => i64::from(xid.0),
                Xmax::Many(multi) => i64::from(multi.id),
            }),
            _ => Datum::Null,
        }
    }

    fn sub(&mut self, ix: u16, kind: &SubKind) -> Result<Datum, Stop> {
        let ix = ix as usize;
        let left = match kind {
            SubKind::In(left) => Some(expr::eval(left, self)?),
            _ => None,
        };
        let most = if matches!(kind, SubKind::Exists) { 1 } else { usize::MAX };
        if self.state.subs[ix].correlated {
            return self.remembered(|cx| {
                cx.sub_rows(ix, most)?;
                sub_value(&cx.state.subs[ix].rows, kind, left)
            });
        }
        self.sub_rows(ix, most)?;
        sub_value(&self.state.subs[ix].rows, kind, left)
    }

    fn act(&mut self, action: crate::bound::Action, args: &[Datum]) -> Result<Datum, Stop> {
        self.remembered(|cx| act::act(cx, action, args))
    }
}

impl Cx<'_> {
    fn find_tuple(&self, rel: RelIx, tid: Tid) -> Option<&crate::storage::tuple::Tuple> {
        let row = self.state.rows[rel as usize].as_ref()?;
        self.engine.tables.values().find_map(|table| table.heap.get(tid).filter(|tuple| Rc::ptr_eq(&tuple.row, row)))
    }
}

/// What the rows of a sub-select come to.
fn sub_value(rows: &[Row], kind: &SubKind, left: Option<Datum>) -> Result<Datum, Stop> {
    Ok(match kind {
        SubKind::Scalar => match rows {
            [] => Datum::Null,
            [row] => row.first().cloned().unwrap_or(Datum::Null),
            _ => {
                return Err(
                    SqlError::new("21000", "more than one row returned by a subquery used as an expression").into()
                );
            }
        },
        SubKind::Exists => Datum::Bool(!rows.is_empty()),
        SubKind::Array => Datum::Array(Rc::new(rows.iter().map(|row| row[0].clone()).collect())),
        SubKind::In(_) => {
            let left = left.unwrap_or(Datum::Null);
            if rows.is_empty() {
                Datum::Bool(false)
            } else if left.is_null() {
                Datum::Null
            } else if rows.iter().any(|row| !row[0].is_null() && expr::compare(&row[0], &left).is_eq()) {
                Datum::Bool(true)
            } else if rows.iter().any(|row| row[0].is_null()) {
                Datum::Null
            } else {
                Datum::Bool(false)
            }
        }
    })
}
