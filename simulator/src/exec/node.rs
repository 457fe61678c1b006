//! The sources of rows: scans, joins, lists. A node sets the current rows of its relations; it does not hand rows on.

use super::Cx;
use super::lists::{series_rows, unnest_rows};
use super::query::QueryExec;
use super::views::view_rows;
use crate::bound::{Expr, RelIx, SystemView};
use crate::catalog::{IndexDef, TableId};
use crate::engine::scan::{IndexScan, SeqScan};
use crate::expr::{Stop, compare};
use crate::storage::index::{HIGHEST, Key, LOWEST, MAX_COLUMNS};
use crate::storage::table::descending;
use crate::value::{Datum, Row};
use std::rc::Rc;

/// How a table is read.
#[derive(Debug, Clone)]
pub enum Access {
    /// All of it, in the heap's order.
    Seq(SeqScan),
    /// By an index.
    Index(Box<IndexAccess>),
}

/// What an index is asked for.
#[derive(Debug, Clone)]
pub struct IndexAccess {
    number: usize,
    width: u8,
    descending: u8,
    equal: Vec<Expr>,
    any: Option<Expr>,
    low: Option<Expr>,
    high: Option<Expr>,
    scan: IndexScan,
    /// Further values of `= ANY`, next one last.
    keys: Vec<Datum>,
}

impl Access {
    /// By an index: values of its first columns, then perhaps several of the next, or a range.
    pub fn index(
        number: usize,
        def: &IndexDef,
        equal: Vec<Expr>,
        any: Option<Expr>,
        low: Option<Expr>,
        high: Option<Expr>,
    ) -> Access {
        Access::Index(Box::new(IndexAccess {
            number,
            width: def.columns.len() as u8,
            descending: descending(def),
            equal,
            any,
            low,
            high,
            scan: IndexScan::default(),
            keys: Vec::new(),
        }))
    }
}

impl IndexAccess {
    fn key(&self, values: &[Datum], width: usize, low: bool) -> Key {
        let mut all = [const { Datum::Null }; MAX_COLUMNS];
        for (slot, value) in all.iter_mut().zip(values) {
            *slot = value.clone();
        }
        let _ = self.width;
        Key { values: all, tid: if low { LOWEST } else { HIGHEST }, width: width as u8, descending: self.descending }
    }

    /// Begins the scan; false if no row can be found (a comparison with NULL).
    fn begin(&mut self, cx: &mut Cx<'_>) -> Result<bool, Stop> {
        let (equal, any, low, high) = cx.guarded(|cx| {
            let mut equal = Vec::with_capacity(self.equal.len());
            for expr in &self.equal {
                equal.push(crate::expr::eval(expr, cx)?);
            }
            let mut one = |expr: &Option<Expr>| expr.as_ref().map(|expr| crate::expr::eval(expr, cx)).transpose();
            Ok((equal, one(&self.any)?, one(&self.low)?, one(&self.high)?))
        })?;
        if equal.iter().chain(&low).chain(&high).any(Datum::is_null) {
            return Ok(false);
        }
        if self.any.is_some() {
            let Some(Datum::Array(items)) = any else { return Ok(false) };
            self.keys = items.iter().filter(|item| !item.is_null()).cloned().collect();
            self.keys.sort_by(|a, b| compare(b, a));
            self.keys.dedup_by(|a, b| compare(a, b).is_eq());
            let Some(first) = self.keys.pop() else { return Ok(false) };
            self.point(&[first]);
            return Ok(true);
        }
        let bound = |end: Option<Datum>, low: bool| {
            let mut values = equal.clone();
            values.extend(end);
            (!values.is_empty()).then(|| self.key(&values, values.len(), low))
        };
        let (low, high) = (bound(low, true), bound(high, false));
        self.scan.begin(low, high);
        Ok(true)
    }

    fn point(&mut self, values: &[Datum]) {
        let (low, high) = (self.key(values, values.len(), true), self.key(values, values.len(), false));
        self.scan.begin(Some(low), Some(high));
    }
}

/// A nested loop.
#[derive(Debug, Clone)]
pub struct Nest {
    outer: Node,
    inner: Node,
    /// A left join: the inner relations, NULL where nothing fits.
    nullable: Option<Vec<RelIx>>,
    on: Vec<Expr>,
    have_outer: bool,
    matched: bool,
    fetched: bool,
}

/// A source of rows.
#[derive(Debug, Clone)]
pub enum Node {
    /// One row of nothing.
    Once {
        /// It was given.
        done: bool,
    },
    /// A table.
    Scan {
        /// Its relation.
        rel: RelIx,
        /// The table.
        table: TableId,
        /// How it is read.
        access: Access,
        /// Tested on each row.
        conditions: Vec<Expr>,
        /// A row is there whose conditions are being tested.
        fetched: bool,
        /// It has begun.
        started: bool,
    },
    /// Conditions on another node's rows.
    Filter {
        /// The other.
        child: Box<Node>,
        /// All must hold.
        conditions: Vec<Expr>,
        /// A row is there whose conditions are being tested.
        fetched: bool,
    },
    /// A join.
    Nest(Box<Nest>),
    /// A sub-select in FROM.
    Sub {
        /// Its relation.
        rel: RelIx,
        /// The query.
        query: Box<QueryExec>,
    },
    /// A CTE that is computed once.
    Cte {
        /// Its relation.
        rel: RelIx,
        /// Which.
        cte: u16,
        /// The next row.
        at: usize,
    },
    /// VALUES
    Values {
        /// Its relation.
        rel: RelIx,
        /// Rows.
        rows: Vec<Vec<Expr>>,
        /// The next row.
        at: usize,
    },
    /// unnest or generate_series
    List {
        /// Its relation.
        rel: RelIx,
        /// Arguments.
        args: Vec<Expr>,
        /// generate_series
        series: bool,
        /// Rows, once computed.
        rows: Option<Rc<Vec<Row>>>,
        /// The next row.
        at: usize,
    },
    /// A view of the database itself.
    View {
        /// Its relation.
        rel: RelIx,
        /// Which.
        view: SystemView,
        /// Rows, once read.
        rows: Option<Rc<Vec<Row>>>,
        /// The next row.
        at: usize,
    },
}

impl Node {
    /// A nested loop; `nullable` makes it a left join.
    pub fn nest(outer: Node, inner: Node, nullable: Option<Vec<RelIx>>, on: Vec<Expr>) -> Node {
        Node::Nest(Box::new(Nest { outer, inner, nullable, on, have_outer: false, matched: false, fetched: false }))
    }

    /// Begins again.
    pub fn rewind(&mut self) {
        match self {
            Node::Once { done } => *done = false,
            Node::Scan { access, fetched, started, .. } => {
                (*fetched, *started) = (false, false);
                if let Access::Seq(scan) = access {
                    *scan = SeqScan::default();
                }
            }
            Node::Filter { child, fetched, .. } => {
                *fetched = false;
                child.rewind();
            }
            Node::Nest(nest) => {
                nest.outer.rewind();
                (nest.have_outer, nest.fetched) = (false, false);
            }
            Node::Sub { query, .. } => query.rewind(),
            Node::Cte { at, .. } | Node::Values { at, .. } => *at = 0,
            Node::List { rows, at, .. } | Node::View { rows, at, .. } => (*rows, *at) = (None, 0),
        }
    }

    /// Goes to the next row; false at the end.
    pub fn next(&mut self, cx: &mut Cx<'_>) -> Result<bool, Stop> {
        match self {
            Node::Once { done } => Ok(!std::mem::replace(done, true)),
            Node::Scan { rel, table, access, conditions, fetched, started } => {
                if !*started {
                    if let Access::Index(index) = access
                        && !index.begin(cx)?
                    {
                        return Ok(false);
                    }
                    *started = true;
                }
                loop {
                    if !*fetched {
                        let own = cx.engine.own(cx.me);
                        let found = match access {
                            Access::Seq(scan) => scan.next(cx.engine, *table, &cx.state.snapshot, own),
                            Access::Index(index) => loop {
                                let found = index.scan.next(cx.engine, *table, index.number, &cx.state.snapshot, own);
                                if found.is_some() {
                                    break found;
                                }
                                match index.keys.pop() {
                                    Some(key) => index.point(&[key]),
                                    None => break None,
                                }
                            },
                        };
                        let Some((tid, row)) = found else { return Ok(false) };
                        cx.set(*rel, Some(row), Some(tid));
                        *fetched = true;
                    }
                    let holds = conditions.is_empty() || cx.holds(conditions)?;
                    *fetched = false;
                    if holds {
                        return Ok(true);
                    }
                }
            }
            Node::Filter { child, conditions, fetched } => loop {
                if !*fetched {
                    if !child.next(cx)? {
                        return Ok(false);
                    }
                    *fetched = true;
                }
                let holds = cx.holds(conditions)?;
                *fetched = false;
                if holds {
                    return Ok(true);
                }
            },
            Node::Nest(nest) => nest.next(cx),
            Node::Sub { rel, query } => {
                let row = query.next(cx)?;
                let more = row.is_some();
                cx.set(*rel, row, None);
                Ok(more)
            }
            Node::Cte { rel, cte, at } => {
                let row = cx.cte_row(*cte as usize, *at)?;
                *at += 1;
                let more = row.is_some();
                cx.set(*rel, row, None);
                Ok(more)
            }
            Node::Values { rel, rows, at } => {
                let Some(exprs) = rows.get(*at) else { return Ok(false) };
                let row = cx.guarded(|cx| {
                    exprs.iter().map(|expr| crate::expr::eval(expr, cx)).collect::<Result<Vec<_>, _>>()
                })?;
                *at += 1;
                cx.set(*rel, Some(row.into()), None);
                Ok(true)
            }
            Node::List { rel, args, series, rows, at } => {
                if rows.is_none() {
                    let values = cx.guarded(|cx| {
                        args.iter().map(|arg| crate::expr::eval(arg, cx)).collect::<Result<Vec<_>, _>>()
                    })?;
                    *rows = Some(Rc::new(if *series { series_rows(&values)? } else { unnest_rows(&values) }));
                }
                Ok(step(cx, *rel, rows, at))
            }
            Node::View { rel, view, rows, at } => {
                if rows.is_none() {
                    *rows = Some(Rc::new(view_rows(cx.engine, *view)));
                }
                Ok(step(cx, *rel, rows, at))
            }
        }
    }
}

fn step(cx: &mut Cx<'_>, rel: RelIx, rows: &Option<Rc<Vec<Row>>>, at: &mut usize) -> bool {
    let row = rows.as_ref().and_then(|rows| rows.get(*at)).cloned();
    *at += 1;
    let more = row.is_some();
    cx.set(rel, row, None);
    more
}

impl Nest {
    fn next(&mut self, cx: &mut Cx<'_>) -> Result<bool, Stop> {
        loop {
            if !self.have_outer {
                if !self.outer.next(cx)? {
                    return Ok(false);
                }
                self.inner.rewind();
                (self.have_outer, self.matched) = (true, false);
            }
            if !self.fetched {
                if !self.inner.next(cx)? {
                    self.have_outer = false;
                    if let Some(rels) = &self.nullable
                        && !self.matched
                    {
                        for rel in rels {
                            cx.set(*rel, None, None);
                        }
                        return Ok(true);
                    }
                    continue;
                }
                self.fetched = true;
            }
            let holds = self.on.is_empty() || cx.holds(&self.on)?;
            self.fetched = false;
            if holds {
                self.matched = true;
                return Ok(true);
            }
        }
    }
}
