//! Foreign keys, checked at the end of the statement. PostgreSQL 15: ri_triggers.c.
//!
//! A referring row locks the row it refers to FOR KEY SHARE, so that its key stays; a referenced row that goes, or changes its
//! key, looks for rows that refer to it.

use super::Cx;
use crate::bound::{Strength, WaitPolicy};
use crate::catalog::{ForeignKey, Reaction, TableId};
use crate::engine::change::{Change, Changed, Target};
use crate::engine::concurrent;
use crate::engine::rowlock::{Outcome, RowLock};
use crate::engine::scan::SeqScan;
use crate::error::SqlError;
use crate::expr::{Stop, compare};
use crate::storage::tuple::Tid;
use crate::storage::xact::Snapshot;
use crate::value::{Datum, Row};
use std::rc::Rc;

/// A check that is due.
#[derive(Debug, Clone)]
pub struct Check {
    /// The key, and the table that has it.
    key: Rc<ForeignKey>,
    child: TableId,
    kind: Kind,
    values: Vec<Datum>,
    /// The new key of the parent, where it changed.
    replacement: Option<Vec<Datum>>,
    step: Step,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A referring row came: is its parent there?
    Parent,
    /// A referenced row went.
    Children(Reaction),
}

#[derive(Debug, Clone)]
enum Step {
    Begin,
    Find(SeqScan, Snapshot),
    Lock(SeqScan, Snapshot, RowLock),
    Change(SeqScan, Snapshot, Change, Row),
}

fn values(row: &Row, columns: &[usize]) -> Vec<Datum> {
    columns.iter().map(|column| row[*column].clone()).collect()
}

fn equal(a: &[Datum], b: &[Datum]) -> bool {
    a.iter().zip(b).all(|(a, b)| !a.is_null() && !b.is_null() && compare(a, b).is_eq())
}

/// Notes the checks of a new row.
pub fn after_insert(cx: &mut Cx<'_>, target: &Target, row: &Row) {
    for key in &target.def.foreign_keys {
        note_parent(cx, target.table, key, row);
    }
}

fn note_parent(cx: &mut Cx<'_>, child: TableId, key: &ForeignKey, row: &Row) {
    let values = values(row, &key.columns);
    if !values.iter().any(Datum::is_null) {
        let check = Check {
            key: Rc::new(key.clone()),
            child,
            kind: Kind::Parent,
            values,
            replacement: None,
            step: Step::Begin,
        };
        cx.state.checks.push_back(check);
    }
}

/// Notes the checks of a changed (`new`) or deleted row.
pub fn after_change(cx: &mut Cx<'_>, target: &Target, old: &Row, new: Option<&Row>) {
    if let Some(new) = new {
        for key in &target.def.foreign_keys {
            let unchanged = equal(&values(old, &key.columns), &values(new, &key.columns));
            if !unchanged {
                note_parent(cx, target.table, key, new);
            }
        }
    }
    let mut due = Vec::new();
    for (child, def) in cx.engine.catalog.tables() {
        for key in def.foreign_keys.iter().filter(|key| key.parent == target.table) {
            let before = values(old, &key.parent_columns);
            let after = new.map(|new| values(new, &key.parent_columns));
            if before.iter().any(Datum::is_null) || after.as_ref().is_some_and(|after| equal(&before, after)) {
                continue;
            }
            let reaction = if new.is_some() { key.on_update } else { key.on_delete };
            due.push(Check {
                key: Rc::new(key.clone()),
                child,
                kind: Kind::Children(reaction),
                values: before,
                replacement: after,
                step: Step::Begin,
            });
        }
    }
    cx.state.checks.extend(due);
}

/// Runs the checks that are due.
pub fn run(cx: &mut Cx<'_>) -> Result<(), Stop> {
    while let Some(mut check) = cx.state.checks.pop_front() {
        match check.drive(cx) {
            Ok(()) => {}
            Err(stop) => {
                if matches!(stop, Stop::Blocked) {
                    cx.state.checks.push_front(check);
                }
                return Err(stop);
            }
        }
    }
    Ok(())
}

impl Check {
    fn drive(&mut self, cx: &mut Cx<'_>) -> Result<(), Stop> {
        let (table, columns, strength) = match self.kind {
            Kind::Parent => (self.key.parent, self.key.parent_columns.clone(), Strength::KeyShare),
            Kind::Children(_) => (self.child, self.key.columns.clone(), Strength::KeyShare),
        };
        loop {
            match &mut self.step {
                Step::Begin => {
                    let mode = if matches!(self.kind, Kind::Children(Reaction::Cascade | Reaction::SetNull)) {
                        crate::bound::LockMode::RowExclusive
                    } else {
                        crate::bound::LockMode::RowShare
                    };
                    cx.engine.lock_table(cx.me, table, mode, false)?;
                    // READ COMMITTED looks anew; own changes of this statement count. So they do above it, for children.
                    let mut snapshot = cx.state.snapshot.clone();
                    if cx.state.newest {
                        cx.engine.xacts.snapshot(&mut snapshot, 0);
                    }
                    snapshot.command = cx.state.command + 1;
                    self.step = Step::Find(SeqScan::default(), snapshot);
                }
                Step::Find(scan, snapshot) => {
                    let own = cx.engine.own(cx.me);
                    let found = loop {
                        match scan.next(cx.engine, table, snapshot, own) {
                            Some((tid, row)) if equal(&values(&row, &columns), &self.values) => break Some((tid, row)),
                            Some(_) => {}
                            None => break None,
                        }
                    };
                    let Some((tid, row)) = found else {
                        return if self.kind == Kind::Parent { Err(self.missing(cx).into()) } else { Ok(()) };
                    };
                    let (scan, snapshot) = (*scan, snapshot.clone());
                    self.step = self.meet(cx, scan, snapshot, table, tid, row, strength);
                }
                Step::Lock(scan, snapshot, lock) => {
                    let outcome = lock.drive(cx.engine, cx.me)?;
                    let (scan, snapshot) = (*scan, snapshot.clone());
                    match outcome {
                        Outcome::Locked { tid, .. } => {
                            let fits = cx
                                .engine
                                .tuple(table, tid)
                                .is_some_and(|tuple| equal(&values(&tuple.row, &columns), &self.values));
                            match (self.kind, fits) {
                                (Kind::Parent, true) => return Ok(()),
                                (Kind::Children(_), true) => return Err(self.referenced(cx).into()),
                                (_, false) => self.step = Step::Find(scan, snapshot),
                            }
                        }
                        Outcome::Updated | Outcome::Deleted if !cx.state.newest => {
                            return Err(
                                concurrent(if outcome == Outcome::Updated { "update" } else { "delete" }).into()
                            );
                        }
                        _ => self.step = Step::Find(scan, snapshot),
                    }
                }
                Step::Change(scan, snapshot, change, old) => {
                    let target = cx.engine.catalog.get(table).map(|def| Target::new(table, def));
                    let Some(target) = target else { return Ok(()) };
                    let outcome = change.drive(cx.engine, cx.me, &target)?;
                    let (scan, snapshot, old, new) = (*scan, snapshot.clone(), old.clone(), change.row().cloned());
                    match outcome {
                        Changed::Done(_) => after_change(cx, &target, &old, new.as_ref()),
                        Changed::Updated | Changed::Deleted if !cx.state.newest => {
                            return Err(concurrent("update").into());
                        }
                        _ => {}
                    }
                    self.step = Step::Find(scan, snapshot);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn meet(
        &self,
        cx: &Cx<'_>,
        scan: SeqScan,
        snapshot: Snapshot,
        table: TableId,
        tid: Tid,
        row: Row,
        strength: Strength,
    ) -> Step {
        let command = cx.state.command + 1;
        match self.kind {
            Kind::Children(reaction @ (Reaction::Cascade | Reaction::SetNull)) => {
                let new = match (reaction, &self.replacement) {
                    (Reaction::Cascade, None) => None,
                    (reaction, replacement) => {
                        let mut changed = row.to_vec();
                        for (n, column) in self.key.columns.iter().enumerate() {
                            changed[*column] = match (reaction, replacement) {
                                (Reaction::Cascade, Some(values)) => values[n].clone(),
                                _ => Datum::Null,
                            };
                        }
                        Some(Row::from(changed))
                    }
                };
                let strength = match (&new, cx.engine.catalog.get(table)) {
                    (Some(new), Some(def)) => Target::new(table, def).strength(&row, new),
                    _ => Strength::Update,
                };
                Step::Change(scan, snapshot, Change::new(tid, new, strength, command), row)
            }
            _ => Step::Lock(
                scan,
                snapshot,
                RowLock::new(table, tid, strength, WaitPolicy::Block, cx.state.newest, command),
            ),
        }
    }

    fn missing(&self, cx: &Cx<'_>) -> SqlError {
        let child = cx.engine.catalog.get(self.child).map_or("", |def| &def.name);
        let message =
            format!("insert or update on table \"{child}\" violates foreign key constraint \"{}\"", self.key.name);
        SqlError::new("23503", message).by("ri_ReportViolation")
    }

    fn referenced(&self, cx: &Cx<'_>) -> SqlError {
        let name = |table| cx.engine.catalog.get(table).map_or("", |def| &def.name);
        let message = format!(
            "update or delete on table \"{}\" violates foreign key constraint \"{}\" on table \"{}\"",
            name(self.key.parent),
            self.key.name,
            name(self.child)
        );
        SqlError::new("23503", message).by("ri_ReportViolation")
    }
}
