//! A SELECT: source, groups, sort, row locks, limit, select list — in PostgreSQL's order.
//!
//! The sort stands below the locks and the limit above them. So a row that changed while it was waited for keeps the place
//! that its old values gave it (CASES C07), and a LIMIT is filled with further rows when one falls away (C08).

use super::Cx;
use super::group::GroupExec;
use super::node::Node;
use crate::bound::{Expr, Locking, Order, Output, Query, RelIx, Source, WaitPolicy};
use crate::catalog::TableId;
use crate::engine::concurrent;
use crate::engine::rowlock::{Outcome, RowLock};
use crate::error::SqlError;
use crate::expr::{Stop, compare};
use crate::plan::{Planner, from_rels};
use crate::storage::tuple::Tid;
use crate::value::{Datum, Row};
use std::cmp::Ordering;

/// A row lock clause of one relation.
#[derive(Debug, Clone)]
struct Lock {
    locking: Locking,
    table: TableId,
}

/// Rows kept by a sort: keys, then the rows of the relations below.
type Sorted = (Vec<Datum>, Vec<(Option<Row>, Option<Tid>)>);

/// A SELECT in progress.
#[derive(Debug, Clone)]
pub struct QueryExec {
    node: Node,
    conditions: Vec<Expr>,
    rels: Vec<RelIx>,
    group: Option<Box<GroupExec>>,
    order: Vec<Order>,
    sort: bool,
    locks: Vec<Lock>,
    limit: Option<Expr>,
    offset: Option<Expr>,
    output: Vec<Output>,
    distinct: bool,
    rest: Vec<QueryExec>,

    started: bool,
    limit_left: Option<i64>,
    offset_left: i64,
    sorted: Option<std::vec::IntoIter<Sorted>>,
    collecting: Vec<Sorted>,
    seen: Vec<Row>,
    fetched: bool,
    locked: usize,
    moved: bool,
    lock: Option<RowLock>,
    ready: bool,
    branch: usize,
}

impl Planner<'_> {
    /// Plans a SELECT.
    pub fn query(&self, query: &Query) -> Result<QueryExec, SqlError> {
        let grouped = query.grouping.is_some();
        let order: &[Order] = if grouped || !query.union_all.is_empty() { &[] } else { &query.order };
        let source = self.source(
            query.from.as_ref(),
            None,
            query.filter.as_ref(),
            order,
            query.limit.is_some() && !query.distinct,
        )?;
        let mut rels = Vec::new();
        if let Some(from) = &query.from {
            from_rels(from, &mut rels);
        }
        if let Some(grouping) = &query.grouping {
            rels = vec![grouping.rel];
        }
        let mut locks = Vec::new();
        for locking in &query.locking {
            if let Source::Table(table) = self.statement.rels[locking.rel as usize].source {
                locks.push(Lock { locking: *locking, table });
            }
        }
        Ok(QueryExec {
            node: source.node,
            conditions: source.conditions,
            rels,
            group: query.grouping.as_ref().map(|grouping| Box::new(GroupExec::new(grouping.clone()))),
            sort: !query.order.is_empty() && (!source.ordered || order.is_empty()),
            order: query.order.clone(),
            locks,
            limit: query.limit.clone(),
            offset: query.offset.clone(),
            output: query.output.clone(),
            distinct: query.distinct,
            rest: query.union_all.iter().map(|part| self.query(part)).collect::<Result<_, _>>()?,
            started: false,
            limit_left: None,
            offset_left: 0,
            sorted: None,
            collecting: Vec::new(),
            seen: Vec::new(),
            fetched: false,
            locked: 0,
            moved: false,
            lock: None,
            ready: false,
            branch: 0,
        })
    }
}

impl QueryExec {
    /// Begins again.
    pub fn rewind(&mut self) {
        self.node.rewind();
        if let Some(group) = &mut self.group {
            group.rewind();
        }
        self.started = false;
        self.sorted = None;
        self.collecting.clear();
        self.seen.clear();
        self.fetched = false;
        self.ready = false;
        self.lock = None;
        self.branch = 0;
        for part in &mut self.rest {
            part.rewind();
        }
    }

    /// The next row.
    pub fn next(&mut self, cx: &mut Cx<'_>) -> Result<Option<Row>, Stop> {
        if !self.started {
            let (limit, offset) = cx.guarded(|cx| {
                let mut one = |expr: &Option<Expr>| expr.as_ref().map(|expr| crate::expr::eval(expr, cx)).transpose();
                Ok((one(&self.limit)?, one(&self.offset)?))
            })?;
            self.limit_left = count_of(limit, "LIMIT", "2201W")?;
            self.offset_left = count_of(offset, "OFFSET", "2201X")?.unwrap_or(0);
            self.started = true;
        }
        loop {
            if self.limit_left == Some(0) {
                return Ok(None);
            }
            if self.branch > 0 {
                let Some(part) = self.rest.get_mut(self.branch - 1) else { return Ok(None) };
                match part.next(cx)? {
                    Some(row) => return Ok(Some(row)),
                    None => self.branch += 1,
                }
                continue;
            }
            if !self.ready {
                if !self.locked_row(cx)? {
                    if self.rest.is_empty() {
                        return Ok(None);
                    }
                    self.branch = 1;
                    continue;
                }
                self.ready = true;
            }
            if !self.distinct && self.offset_left > 0 {
                self.offset_left -= 1;
                self.ready = false;
                continue;
            }
            let row: Row = cx.guarded(|cx| {
                self.output.iter().map(|output| crate::expr::eval(&output.expr, cx)).collect::<Result<_, _>>()
            })?;
            self.ready = false;
            if self.distinct {
                if self.seen.iter().any(|seen| seen.iter().zip(row.iter()).all(|(a, b)| same(a, b))) {
                    continue;
                }
                self.seen.push(row.clone());
                if self.offset_left > 0 {
                    self.offset_left -= 1;
                    continue;
                }
            }
            if let Some(left) = &mut self.limit_left {
                *left -= 1;
            }
            return Ok(Some(row));
        }
    }

    /// Goes to the next row below the locks: sorted if need be.
    fn source_row(&mut self, cx: &mut Cx<'_>) -> Result<bool, Stop> {
        if !self.sort {
            return match &mut self.group {
                Some(group) => group.next(cx, &mut self.node),
                None => self.node.next(cx),
            };
        }
        if self.sorted.is_none() {
            loop {
                if !self.fetched {
                    let more = match &mut self.group {
                        Some(group) => group.next(cx, &mut self.node)?,
                        None => self.node.next(cx)?,
                    };
                    if !more {
                        break;
                    }
                    self.fetched = true;
                }
                let keys = cx.guarded(|cx| {
                    self.order.iter().map(|key| crate::expr::eval(&key.expr, cx)).collect::<Result<Vec<_>, _>>()
                })?;
                self.fetched = false;
                let rows =
                    self.rels.iter().map(|rel| (cx.state.rows[*rel as usize].clone(), cx.state.tids[*rel as usize]));
                self.collecting.push((keys, rows.collect()));
            }
            let mut rows = std::mem::take(&mut self.collecting);
            rows.sort_by(|a, b| order_of(&self.order, &a.0, &b.0));
            self.sorted = Some(rows.into_iter());
        }
        let Some((_, rows)) = self.sorted.as_mut().and_then(Iterator::next) else { return Ok(false) };
        for (rel, (row, tid)) in self.rels.iter().zip(rows) {
            cx.set(*rel, row, tid);
        }
        Ok(true)
    }

    /// Goes to the next row that is locked as the clause says.
    fn locked_row(&mut self, cx: &mut Cx<'_>) -> Result<bool, Stop> {
        if self.locks.is_empty() {
            return self.source_row(cx);
        }
        'rows: loop {
            if self.lock.is_none() && self.locked == 0 {
                if !self.source_row(cx)? {
                    return Ok(false);
                }
                self.moved = false;
            }
            while self.locked < self.locks.len() {
                let Lock { locking, table } = self.locks[self.locked].clone();
                let Some(tid) = cx.state.tids[locking.rel as usize] else {
                    // The empty side of an outer join, or a view's row.
                    self.locked += 1;
                    continue;
                };
                let (newest, command) = (cx.state.newest, cx.state.command);
                let lock = self
                    .lock
                    .get_or_insert_with(|| RowLock::new(table, tid, locking.strength, locking.wait, newest, command));
                let outcome = lock.drive(cx.engine, cx.me)?;
                self.lock = None;
                match outcome {
                    Outcome::Locked { tid, moved } => {
                        if moved {
                            self.moved = true;
                            let row = cx.engine.tuple(table, tid).map(|tuple| tuple.row.clone());
                            cx.set(locking.rel, row, Some(tid));
                        }
                        self.locked += 1;
                    }
                    Outcome::WouldBlock => {
                        debug_assert_eq!(locking.wait, WaitPolicy::Skip);
                        self.locked = 0;
                        continue 'rows;
                    }
                    Outcome::SelfModified => {
                        self.locked = 0;
                        continue 'rows;
                    }
                    Outcome::Updated | Outcome::Deleted => {
                        if !newest {
                            return Err(
                                concurrent(if outcome == Outcome::Updated { "update" } else { "delete" }).into()
                            );
                        }
                        self.locked = 0;
                        continue 'rows;
                    }
                }
            }
            // A row that changed is looked at once more (EvalPlanQual).
            if self.moved && !cx.holds(&self.conditions)? {
                self.locked = 0;
                continue;
            }
            self.locked = 0;
            return Ok(true);
        }
    }
}

fn count_of(value: Option<Datum>, name: &str, sqlstate: &'static str) -> Result<Option<i64>, Stop> {
    match value {
        Some(Datum::Int(n)) if n < 0 => Err(SqlError::new(sqlstate, format!("{name} must not be negative")).into()),
        Some(Datum::Int(n)) => Ok(Some(n)),
        _ => Ok(None),
    }
}

/// Whether two values are the same, NULL being the same as NULL.
pub fn same(a: &Datum, b: &Datum) -> bool {
    match (a.is_null(), b.is_null()) {
        (false, false) => compare(a, b) == Ordering::Equal,
        (a, b) => a == b,
    }
}

/// Compares by sort keys.
pub fn order_of(order: &[Order], a: &[Datum], b: &[Datum]) -> Ordering {
    for (key, (a, b)) in order.iter().zip(a.iter().zip(b)) {
        let found = match (a.is_null(), b.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => {
                if key.nulls_first {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (false, true) => {
                if key.nulls_first {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (false, false) if key.descending => compare(b, a),
            (false, false) => compare(a, b),
        };
        if found != Ordering::Equal {
            return found;
        }
    }
    Ordering::Equal
}
