//! How a statement is run: which index each table is read by, where each condition is tested. Planned once a statement.
//!
//! The rules are few and fixed, so that the same text always runs the same way: an index whose columns are all given wins,
//! then the longest given prefix, then an index that has the wanted order under a LIMIT, then a partial index whose
//! predicate the statement repeats; otherwise the whole table is read. Joins are nested loops in the text's order, with the
//! target of an UPDATE or DELETE last.

mod row;
mod shape;
mod visit;

pub use row::RowEnv;
use shape::{flip, is_column, other_side, same};

pub use visit::{acts, columns_of, conjuncts, free_rels, from_rels, rels_of, visit};

use crate::bound::{CompareOp, Expr, From, Order, RelIx, Source, Statement};
use crate::catalog::{Catalog, IndexDef, TableId};
use crate::error::SqlError;
use crate::exec::node::{Access, Node};

/// A condition that waits for the relations it needs.
struct Pending {
    expr: Expr,
    rels: Vec<RelIx>,
    used: bool,
}

/// The order that a scan should have, if it can.
struct Wanted<'a> {
    order: &'a [Order],
    limited: bool,
}

/// Plans one statement.
pub struct Planner<'a> {
    /// The statement.
    pub statement: &'a Statement,
    /// Definitions.
    pub catalog: &'a Catalog,
}

/// A planned FROM with its conditions.
pub struct Planned {
    /// Produces the rows.
    pub node: Node,
    /// All conditions, for the check after a row turned out to have changed.
    pub conditions: Vec<Expr>,
    /// Whether rows come in the wanted order.
    pub ordered: bool,
}

impl Planner<'_> {
    fn pending(&self, expr: &Expr) -> Pending {
        let mut rels = Vec::new();
        rels_of(expr, self.statement, &mut rels);
        rels.sort_unstable();
        rels.dedup();
        Pending { expr: expr.clone(), rels, used: false }
    }

    /// Plans a FROM and a WHERE; `last` is a target that is joined after the rest.
    pub fn source(
        &self,
        from: Option<&From>,
        last: Option<(RelIx, TableId)>,
        filter: Option<&Expr>,
        order: &[Order],
        limited: bool,
    ) -> Result<Planned, SqlError> {
        let mut conditions = Vec::new();
        if let Some(filter) = filter {
            conjuncts(filter, &mut conditions);
        }
        if let Some(from) = from {
            self.inner_conditions(from, &mut conditions);
        }
        let mut own = Vec::new();
        if let Some(from) = from {
            from_rels(from, &mut own);
        }
        own.extend(last.map(|(rel, _)| rel));
        let mut pool: Vec<Pending> = conditions.iter().map(|expr| self.pending(expr)).collect();
        // What lies outside this FROM has its row already.
        for pending in &mut pool {
            pending.rels.retain(|rel| own.contains(rel));
        }
        let single = matches!((from, last), (Some(From::Rel(_)), None));
        let wanted = Wanted { order: if single { order } else { &[] }, limited };
        let mut ordered = false;
        let mut have = Vec::new();
        let mut node = match from {
            Some(from) => self.join(from, &mut have, &mut pool, &wanted, &mut ordered)?,
            None if last.is_some() => Node::Once { done: false },
            None => Node::Once { done: false },
        };
        if let Some((rel, table)) = last {
            let inner = self.scan(rel, table, &have, &mut pool, &Wanted { order: &[], limited: false }, &mut false)?;
            have.push(rel);
            node = if from.is_some() { Node::nest(node, inner, None, Vec::new()) } else { inner };
        }
        let rest: Vec<Expr> = pool.into_iter().filter(|pending| !pending.used).map(|pending| pending.expr).collect();
        if !rest.is_empty() {
            node = Node::Filter { child: Box::new(node), conditions: rest, fetched: false };
        }
        Ok(Planned { node, conditions, ordered: ordered || order.is_empty() })
    }

    fn inner_conditions(&self, from: &From, into: &mut Vec<Expr>) {
        if let From::Join { left, right, outer: false, on } = from {
            self.inner_conditions(left, into);
            self.inner_conditions(right, into);
            if let Some(on) = on {
                conjuncts(on, into);
            }
        }
    }

    fn join(
        &self,
        from: &From,
        have: &mut Vec<RelIx>,
        pool: &mut [Pending],
        wanted: &Wanted<'_>,
        ordered: &mut bool,
    ) -> Result<Node, SqlError> {
        match from {
            From::Rel(rel) => {
                let node = self.relation(*rel, have, pool, wanted, ordered)?;
                have.push(*rel);
                Ok(node)
            }
            From::Join { left, right, outer, on } => {
                let left = self.join(left, have, pool, wanted, ordered)?;
                if !*outer {
                    let right = self.join(right, have, pool, wanted, &mut false)?;
                    let ready = take(pool, have);
                    return Ok(Node::nest(left, right, None, ready));
                }
                // Only its own condition may be tested on the nullable side.
                let mut parts = Vec::new();
                if let Some(on) = on {
                    conjuncts(on, &mut parts);
                }
                self.inner_conditions(right, &mut parts);
                let mut rels = Vec::new();
                from_rels(right, &mut rels);
                let mut own: Vec<Pending> = parts.iter().map(|expr| self.pending(expr)).collect();
                for pending in &mut own {
                    pending.rels.retain(|rel| rels.contains(rel));
                }
                let mut inside = Vec::new();
                let inner = self.join(right, &mut inside, &mut own, wanted, &mut false)?;
                have.extend(&rels);
                let on: Vec<Expr> =
                    own.into_iter().filter(|pending| !pending.used).map(|pending| pending.expr).collect();
                Ok(Node::nest(left, inner, Some(rels), on))
            }
        }
    }

    fn relation(
        &self,
        rel: RelIx,
        have: &[RelIx],
        pool: &mut [Pending],
        wanted: &Wanted<'_>,
        ordered: &mut bool,
    ) -> Result<Node, SqlError> {
        let mut node = match &self.statement.rels[rel as usize].source {
            Source::Table(table) => return self.scan(rel, *table, have, pool, wanted, ordered),
            Source::Subquery(query) => Node::Sub { rel, query: Box::new(self.query(query)?) },
            Source::Cte(cte) => {
                let body = &self.statement.ctes[*cte as usize];
                match &body.body {
                    crate::bound::Dml::Select(query) if !body.materialized => {
                        Node::Sub { rel, query: Box::new(self.query(query)?) }
                    }
                    _ => Node::Cte { rel, cte: *cte, at: 0 },
                }
            }
            Source::Values(rows) => Node::Values { rel, rows: rows.clone(), at: 0 },
            Source::Unnest(args) => Node::List { rel, args: args.clone(), series: false, rows: None, at: 0 },
            Source::Series(args) => Node::List { rel, args: args.clone(), series: true, rows: None, at: 0 },
            Source::View(view) => Node::View { rel, view: *view, rows: None, at: 0 },
            Source::Groups | Source::Excluded => {
                return Err(SqlError::new("XX000", "a computed row is no source of rows"));
            }
        };
        let mut avail = have.to_vec();
        avail.push(rel);
        let ready = take(pool, &avail);
        if !ready.is_empty() {
            node = Node::Filter { child: Box::new(node), conditions: ready, fetched: false };
        }
        Ok(node)
    }

    /// Chooses how a table is read.
    fn scan(
        &self,
        rel: RelIx,
        table: TableId,
        have: &[RelIx],
        pool: &mut [Pending],
        wanted: &Wanted<'_>,
        ordered: &mut bool,
    ) -> Result<Node, SqlError> {
        let def = self.catalog.get(table).ok_or_else(|| SqlError::new("42P01", "the table is gone"))?;
        let usable: Vec<usize> = (0..pool.len())
            .filter(|at| !pool[*at].used && pool[*at].rels.iter().all(|other| *other == rel || have.contains(other)))
            .collect();
        let mut best: Option<(u32, Access, Vec<usize>, bool)> = None;
        for (number, index) in def.indexes.iter().enumerate() {
            if let Some(candidate) = self.candidate(rel, number, index, &usable, pool, wanted)
                && best.as_ref().is_none_or(|(score, ..)| candidate.0 > *score)
            {
                best = Some(candidate);
            }
        }
        let access = match best {
            Some((_, access, served, has_order)) => {
                for at in served {
                    pool[at].used = true;
                }
                *ordered |= has_order;
                access
            }
            None => Access::Seq(Default::default()),
        };
        let mut conditions = Vec::new();
        for at in usable {
            if !pool[at].used {
                pool[at].used = true;
                conditions.push(pool[at].expr.clone());
            }
        }
        Ok(Node::Scan { rel, table, access, conditions, fetched: false, started: false })
    }

    /// What an index could do: its score, the access, the conditions that it serves, and whether it has the wanted order.
    fn candidate(
        &self,
        rel: RelIx,
        number: usize,
        index: &IndexDef,
        usable: &[usize],
        pool: &[Pending],
        wanted: &Wanted<'_>,
    ) -> Option<(u32, Access, Vec<usize>, bool)> {
        let mut served = Vec::new();
        let mut score = 0;
        if let Some(predicate) = &index.predicate {
            let mut parts = Vec::new();
            conjuncts(predicate, &mut parts);
            for part in parts {
                served.push(*usable.iter().find(|at| same(&part, 0, &pool[**at].expr, rel))?);
            }
            score += 4;
        }
        let mut equal = Vec::new();
        let mut any = None;
        let (mut low, mut high) = (None, None);
        for (position, (column, descending)) in index.columns.iter().enumerate() {
            let found = usable.iter().find_map(|at| match &pool[*at].expr {
                Expr::Compare(CompareOp::Eq, a, b) => {
                    other_side(rel, *column, a, b, |expr| self.fixed(expr, rel)).map(|value| (*at, value, false))
                }
                Expr::Quantified { op: CompareOp::Eq, all: false, left, array }
                    if position == 0
                        && index.columns.len() == 1
                        && is_column(left, rel, *column)
                        && self.fixed(array, rel) =>
                {
                    Some((*at, (**array).clone(), true))
                }
                _ => None,
            });
            match found {
                Some((at, value, false)) => {
                    served.push(at);
                    equal.push(value);
                    score += 10;
                    continue;
                }
                Some((at, array, true)) => {
                    served.push(at);
                    any = Some(array);
                    score += 10;
                }
                None => {
                    for at in usable {
                        let Expr::Compare(op, a, b) = &pool[*at].expr else { continue };
                        let (op, value) = if is_column(a, rel, *column) && self.fixed(b, rel) {
                            (*op, &**b)
                        } else if is_column(b, rel, *column) && self.fixed(a, rel) {
                            (flip(*op), &**a)
                        } else {
                            continue;
                        };
                        let end = match op {
                            CompareOp::Gt | CompareOp::Ge => !descending,
                            CompareOp::Lt | CompareOp::Le => *descending,
                            _ => continue,
                        };
                        // Both ends are included; a strict comparison is tested once more on the row.
                        let bound = if end { &mut low } else { &mut high };
                        if bound.is_none() {
                            *bound = Some(value.clone());
                            score += 2;
                        }
                    }
                }
            }
            break;
        }
        if index.unique && index.predicate.is_none() && equal.len() == index.columns.len() {
            score += 100;
        }
        let has_order =
            any.is_none() && !wanted.order.is_empty() && self.has_order(rel, index, equal.len(), wanted.order);
        if has_order && (wanted.limited || score > 0) {
            score += 6;
        }
        (score > 0).then(|| {
            let access = Access::index(number, index, equal, any, low, high);
            (score, access, served, has_order)
        })
    }

    /// Whether an expression has one value while a relation is scanned.
    fn fixed(&self, expr: &Expr, rel: RelIx) -> bool {
        let mut rels = Vec::new();
        rels_of(expr, self.statement, &mut rels);
        !rels.contains(&rel) && !acts(expr, self.statement)
    }

    fn has_order(&self, rel: RelIx, index: &IndexDef, given: usize, order: &[Order]) -> bool {
        let mut rest = index.columns[given..].iter();
        order.iter().all(|key| {
            if index.columns[..given].iter().any(|(column, _)| is_column(&key.expr, rel, *column)) {
                return true;
            }
            rest.next().is_some_and(|(column, descending)| {
                is_column(&key.expr, rel, *column) && key.descending == *descending && key.nulls_first == *descending
            })
        })
    }
}

/// The conditions that can be tested now.
fn take(pool: &mut [Pending], have: &[RelIx]) -> Vec<Expr> {
    pool.iter_mut()
        .filter(|pending| !pending.used && pending.rels.iter().all(|rel| have.contains(rel)))
        .map(|pending| {
            pending.used = true;
            pending.expr.clone()
        })
        .collect()
}
