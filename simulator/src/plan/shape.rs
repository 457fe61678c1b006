//! The shapes of conditions that an index can serve.

use crate::bound::{CompareOp, Expr, RelIx};
use crate::value::Datum;

/// Whether an expression is this column, perhaps as a wider whole number.
pub(super) fn is_column(expr: &Expr, rel: RelIx, column: usize) -> bool {
    match expr {
        Expr::Column(r, c) => *r == rel && *c as usize == column,
        // int to bigint and the like keep the order.
        Expr::Cast(inner, ty) if !ty.array && crate::sql::is_integer(ty.scalar) => is_column(inner, rel, column),
        _ => false,
    }
}

/// What a column is compared with, if that has one value.
pub(super) fn other_side(rel: RelIx, column: usize, a: &Expr, b: &Expr, fixed: impl Fn(&Expr) -> bool) -> Option<Expr> {
    if is_column(a, rel, column) && fixed(b) {
        Some(b.clone())
    } else if is_column(b, rel, column) && fixed(a) {
        Some(a.clone())
    } else {
        None
    }
}

/// The operator with its sides changed.
pub(super) fn flip(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        other => other,
    }
}

/// Whether two conditions are the same but for the relation's number.
pub(super) fn same(a: &Expr, rel_a: RelIx, b: &Expr, rel_b: RelIx) -> bool {
    match (a, b) {
        (Expr::Column(ra, ca), Expr::Column(rb, cb)) => *ra == rel_a && *rb == rel_b && ca == cb,
        (Expr::Const(Datum::Null), Expr::Const(Datum::Null)) => true,
        (Expr::Const(x), Expr::Const(y)) => !x.is_null() && !y.is_null() && crate::expr::same(x, y),
        (Expr::Compare(op_a, a1, a2), Expr::Compare(op_b, b1, b2)) => {
            (op_a == op_b && same(a1, rel_a, b1, rel_b) && same(a2, rel_a, b2, rel_b))
                || (*op_a == flip(*op_b) && same(a1, rel_a, b2, rel_b) && same(a2, rel_a, b1, rel_b))
        }
        (Expr::IsNull(x), Expr::IsNull(y)) | (Expr::Not(x), Expr::Not(y)) => same(x, rel_a, y, rel_b),
        _ => false,
    }
}
