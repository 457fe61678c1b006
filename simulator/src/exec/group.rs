//! Groups and aggregates.

use super::Cx;
use super::node::Node;
use super::query::{order_of, same};
use crate::bound::{AggregateCall, AggregateFunction, ArithmeticOp, Grouping, Order};
use crate::expr::{Stop, arithmetic, compare};
use crate::value::{Datum, Row, Scalar, Type};
use rust_decimal::Decimal;
use std::rc::Rc;

/// What is known of one call in one group.
#[derive(Debug, Clone, Default)]
struct Running {
    count: i64,
    value: Option<Datum>,
    /// Arguments and sort keys, where they all matter.
    items: Vec<(Vec<Datum>, Vec<Datum>)>,
}

/// Grouping in progress.
#[derive(Debug, Clone)]
pub struct GroupExec {
    grouping: Grouping,
    groups: Vec<(Vec<Datum>, Vec<Running>)>,
    rows: Option<std::vec::IntoIter<Row>>,
    fetched: bool,
    given: bool,
}

impl GroupExec {
    /// Of a query.
    pub fn new(grouping: Grouping) -> GroupExec {
        GroupExec { grouping, groups: Vec::new(), rows: None, fetched: false, given: false }
    }

    /// Begins again.
    pub fn rewind(&mut self) {
        self.groups.clear();
        self.rows = None;
        (self.fetched, self.given) = (false, false);
    }

    /// Goes to the next group for which HAVING holds.
    pub fn next(&mut self, cx: &mut Cx<'_>, source: &mut Node) -> Result<bool, Stop> {
        if self.rows.is_none() {
            loop {
                if !self.fetched {
                    if !source.next(cx)? {
                        break;
                    }
                    self.fetched = true;
                }
                self.take_in(cx)?;
                self.fetched = false;
            }
            if self.grouping.keys.is_empty() && self.groups.is_empty() {
                self.groups.push((Vec::new(), vec![Running::default(); self.grouping.calls.len()]));
            }
            let groups = std::mem::take(&mut self.groups);
            let mut rows = Vec::with_capacity(groups.len());
            for (mut row, running) in groups {
                for (call, running) in self.grouping.calls.iter().zip(running) {
                    row.push(finish(call, running)?);
                }
                rows.push(Row::from(row));
            }
            self.rows = Some(rows.into_iter());
        }
        loop {
            if !self.given {
                let Some(row) = self.rows.as_mut().and_then(Iterator::next) else { return Ok(false) };
                cx.set(self.grouping.rel, Some(row), None);
                self.given = true;
            }
            let holds = match &self.grouping.having {
                Some(having) => cx.holds(std::slice::from_ref(having))?,
                None => true,
            };
            self.given = false;
            if holds {
                return Ok(true);
            }
        }
    }

    fn take_in(&mut self, cx: &mut Cx<'_>) -> Result<(), Stop> {
        let grouping = &self.grouping;
        let (keys, args) = cx.guarded(|cx| {
            let keys = grouping.keys.iter().map(|key| crate::expr::eval(key, cx)).collect::<Result<Vec<_>, _>>()?;
            let mut all = Vec::with_capacity(grouping.calls.len());
            for call in &grouping.calls {
                if let Some(filter) = &call.filter
                    && !crate::expr::is_true(filter, cx)?
                {
                    all.push(None);
                    continue;
                }
                let args = call.args.iter().map(|arg| crate::expr::eval(arg, cx)).collect::<Result<Vec<_>, _>>()?;
                let order =
                    call.order.iter().map(|order| crate::expr::eval(&order.expr, cx)).collect::<Result<Vec<_>, _>>()?;
                all.push(Some((args, order)));
            }
            Ok((keys, all))
        })?;
        let place = self.groups.iter().position(|(other, _)| other.iter().zip(&keys).all(|(a, b)| same(a, b)));
        let place = place.unwrap_or_else(|| {
            self.groups.push((keys, vec![Running::default(); self.grouping.calls.len()]));
            self.groups.len() - 1
        });
        for ((call, running), args) in self.grouping.calls.iter().zip(&mut self.groups[place].1).zip(args) {
            if let Some((args, order)) = args {
                add(call, running, args, order)?;
            }
        }
        Ok(())
    }
}

fn add(call: &AggregateCall, running: &mut Running, args: Vec<Datum>, order: Vec<Datum>) -> Result<(), Stop> {
    use AggregateFunction::*;
    let first = args.first().cloned().unwrap_or(Datum::Null);
    if first.is_null() && !matches!(call.function, CountAll | ArrayAgg) {
        return Ok(());
    }
    if call.distinct || matches!(call.function, ArrayAgg | StringAgg) {
        if !call.distinct || !running.items.iter().any(|(other, _)| same(&other[0], &first)) {
            running.items.push((args, order));
        }
        return Ok(());
    }
    fold(call, running, first)
}

fn fold(call: &AggregateCall, running: &mut Running, value: Datum) -> Result<(), Stop> {
    use AggregateFunction::*;
    running.count += 1;
    let old = running.value.take();
    running.value = Some(match (call.function, old) {
        (_, None) => value,
        (Min, Some(old)) => {
            if compare(&value, &old).is_lt() {
                value
            } else {
                old
            }
        }
        (Max, Some(old)) => {
            if compare(&value, &old).is_gt() {
                value
            } else {
                old
            }
        }
        (BoolAnd, Some(old)) => Datum::Bool(old.is_true() && value.is_true()),
        (BoolOr, Some(old)) => Datum::Bool(old.is_true() || value.is_true()),
        (Sum | Avg, Some(old)) => {
            let ty = if call.function == Sum { call.ty } else { Type::of(sum_type(&old)) };
            arithmetic(ArithmeticOp::Add, ty, &old, &value)?
        }
        (_, Some(old)) => old,
    });
    Ok(())
}

fn sum_type(value: &Datum) -> Scalar {
    match value {
        Datum::Int(_) => Scalar::Int8,
        Datum::Float(_) => Scalar::Float8,
        Datum::Interval(_) => Scalar::Interval,
        _ => Scalar::Numeric,
    }
}

fn finish(call: &AggregateCall, mut running: Running) -> Result<Datum, Stop> {
    use AggregateFunction::*;
    let mut items = std::mem::take(&mut running.items);
    let order: &[Order] = &call.order;
    items.sort_by(|a, b| order_of(order, &a.1, &b.1));
    Ok(match call.function {
        CountAll => Datum::Int(running.count),
        ArrayAgg if items.is_empty() => Datum::Null,
        ArrayAgg => Datum::Array(Rc::new(items.into_iter().map(|(args, _)| args[0].clone()).collect())),
        StringAgg if items.is_empty() => Datum::Null,
        StringAgg => {
            let mut text = String::new();
            for (n, (args, _)) in items.iter().enumerate() {
                if let (true, Some(Datum::Text(between))) = (n > 0, args.get(1)) {
                    text.push_str(between);
                }
                if let Datum::Text(part) = &args[0] {
                    text.push_str(part);
                }
            }
            Datum::Text(text.into())
        }
        _ => {
            for (args, _) in items {
                fold(call, &mut running, args[0].clone())?;
            }
            match (call.function, running.value) {
                (Count, _) => Datum::Int(running.count),
                (_, None) => Datum::Null,
                (Avg, Some(Datum::Float(sum))) => Datum::Float(sum / running.count as f64),
                (Avg, Some(Datum::Interval(sum))) => Datum::Interval(sum / running.count),
                (Avg, Some(Datum::Int(sum))) => {
                    Datum::Numeric(Rc::new(Decimal::from(sum) / Decimal::from(running.count)))
                }
                (Avg, Some(Datum::Numeric(sum))) => Datum::Numeric(Rc::new(*sum / Decimal::from(running.count))),
                (Sum, Some(Datum::Int(sum))) if call.ty.scalar == Scalar::Numeric => {
                    Datum::Numeric(Rc::new(Decimal::from(sum)))
                }
                (_, Some(value)) => value,
            }
        }
    })
}
