//! What an expression or a query mentions.

use crate::bound::{Expr, From, Query, RelIx, Source, Statement, SubKind};

/// Calls `f` for an expression and all in it, sub-selects left out.
pub fn visit(expr: &Expr, f: &mut impl FnMut(&Expr)) {
    f(expr);
    let mut each = |expr: &Expr| visit(expr, f);
    match expr {
        Expr::Const(_) | Expr::Param(_) | Expr::Column(..) | Expr::System(..) => {}
        Expr::And(list)
        | Expr::Or(list)
        | Expr::Coalesce(list)
        | Expr::Array(list)
        | Expr::Call(_, list)
        | Expr::Act(_, list) => {
            list.iter().for_each(each);
        }
        Expr::Not(one) | Expr::IsNull(one) | Expr::Cast(one, _) => each(one),
        Expr::IsDistinct(a, b) | Expr::Compare(_, a, b) | Expr::Arithmetic(_, _, a, b) | Expr::Like(a, b) => {
            each(a);
            each(b);
        }
        Expr::Quantified { left, array, .. } => {
            each(left);
            each(array);
        }
        Expr::InList(left, list) => {
            each(left);
            list.iter().for_each(each);
        }
        Expr::Case(arms, otherwise) => {
            for (when, then) in arms {
                each(when);
                each(then);
            }
            if let Some(expr) = otherwise {
                each(expr);
            }
        }
        Expr::Sub(_, SubKind::In(left)) => each(left),
        Expr::Sub(..) => {}
    }
}

/// The columns of relation 0 in an expression, added to `columns`.
pub fn columns_of(expr: &Expr, columns: &mut Vec<usize>) {
    visit(expr, &mut |expr| {
        if let Expr::Column(0, column) = expr {
            columns.push(*column as usize);
        }
    });
}

/// The relations that an expression needs rows of, those inside its sub-selects too.
pub fn rels_of(expr: &Expr, statement: &Statement, rels: &mut Vec<RelIx>) {
    visit(expr, &mut |expr| match expr {
        Expr::Column(rel, _) | Expr::System(rel, _) => rels.push(*rel),
        Expr::Sub(sub, _) => query_rels(&statement.subplans[*sub as usize].query, statement, rels),
        _ => {}
    });
}

/// The relations that a query needs rows of and does not have itself.
pub fn free_rels(query: &Query, statement: &Statement) -> Vec<RelIx> {
    let mut rels = Vec::new();
    query_rels(query, statement, &mut rels);
    rels
}

fn query_rels(query: &Query, statement: &Statement, rels: &mut Vec<RelIx>) {
    let mut inner = Vec::new();
    let mut own = Vec::new();
    if let Some(from) = &query.from {
        from_rels(from, &mut own);
        from_exprs(from, statement, &mut |expr| rels_of(expr, statement, &mut inner));
    }
    if let Some(grouping) = &query.grouping {
        own.push(grouping.rel);
        for expr in grouping.keys.iter().chain(&grouping.having) {
            rels_of(expr, statement, &mut inner);
        }
        for call in &grouping.calls {
            for expr in call.args.iter().chain(&call.filter).chain(call.order.iter().map(|order| &order.expr)) {
                rels_of(expr, statement, &mut inner);
            }
        }
    }
    let outputs = query.output.iter().map(|output| &output.expr);
    let orders = query.order.iter().map(|order| &order.expr);
    for expr in outputs.chain(orders).chain(&query.filter).chain(&query.limit).chain(&query.offset) {
        rels_of(expr, statement, &mut inner);
    }
    for part in &query.union_all {
        query_rels(part, statement, &mut inner);
    }
    rels.extend(inner.into_iter().filter(|rel| !own.contains(rel)));
}

/// The relations of a FROM.
pub fn from_rels(from: &From, rels: &mut Vec<RelIx>) {
    match from {
        From::Rel(rel) => rels.push(*rel),
        From::Join { left, right, .. } => {
            from_rels(left, rels);
            from_rels(right, rels);
        }
    }
}

fn from_exprs(from: &From, statement: &Statement, f: &mut impl FnMut(&Expr)) {
    match from {
        From::Rel(rel) => match &statement.rels[*rel as usize].source {
            Source::Values(rows) => rows.iter().flatten().for_each(f),
            Source::Unnest(list) | Source::Series(list) => list.iter().for_each(f),
            Source::Subquery(query) => {
                let mut rels = Vec::new();
                query_rels(query, statement, &mut rels);
                for rel in rels {
                    f(&Expr::Column(rel, 0));
                }
            }
            _ => {}
        },
        From::Join { left, right, on, .. } => {
            from_exprs(left, statement, f);
            from_exprs(right, statement, f);
            if let Some(on) = on {
                f(on);
            }
        }
    }
}

/// Whether an expression acts, so that it matters how often and when it is evaluated.
pub fn acts(expr: &Expr, statement: &Statement) -> bool {
    let mut found = false;
    visit(expr, &mut |expr| {
        found |= match expr {
            Expr::Act(..) => true,
            Expr::Sub(sub, _) => statement.subplans[*sub as usize].correlated,
            _ => false,
        }
    });
    found
}

/// The parts of a condition that must all hold.
pub fn conjuncts(expr: &Expr, into: &mut Vec<Expr>) {
    match expr {
        Expr::And(list) => list.iter().for_each(|part| conjuncts(part, into)),
        other => into.push(other.clone()),
    }
}
