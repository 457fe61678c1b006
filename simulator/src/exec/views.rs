//! pg_locks, pg_stat_activity, pgrowlocks and pg_stat_user_tables, over the simulated database. The columns are PostgreSQL
//! 15's; those that have no meaning here are NULL.

use crate::bound::{LockMode, Strength, SystemView};
use crate::catalog::TableId;
use crate::engine::Engine;
use crate::locks::{Key, SessionId, Tag, mode_name};
use crate::sql::view_columns;
use crate::storage::heap::Slot;
use crate::storage::tuple::{Claim, Xmax};
use crate::value::{Datum, Row};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The rows of a view as it stands.
pub fn view_rows(engine: &Engine, view: SystemView) -> Vec<Row> {
    let rows = match view {
        SystemView::Locks => locks(engine),
        SystemView::Activity => activity(engine),
        SystemView::RowLocks(table) => row_locks(engine, table),
        SystemView::Tables => tables(engine),
    };
    let columns = view_columns(view);
    rows.into_iter()
        .map(|mut row| columns.iter().map(|(name, _)| row.remove(name.as_str()).unwrap_or(Datum::Null)).collect())
        .collect()
}

type Named = BTreeMap<&'static str, Datum>;

fn text(text: &str) -> Datum {
    Datum::Text(text.into())
}

fn open(engine: &Engine) -> impl Iterator<Item = (SessionId, &crate::engine::session::Session)> {
    engine.sessions.iter().enumerate().filter_map(|(n, session)| Some((SessionId(n as u32), session.as_ref()?)))
}

fn lock_row(pid: i32, tag: Tag, mode: LockMode, granted: bool) -> Named {
    let mut row = Named::from([
        ("locktype", text(tag.locktype())),
        ("pid", Datum::Int(i64::from(pid))),
        ("mode", text(mode_name(mode))),
        ("granted", Datum::Bool(granted)),
        ("database", Datum::Int(1)),
    ]);
    match tag {
        Tag::Relation(table) => _ = row.insert("relation", Datum::Int(i64::from(table.0))),
        Tag::Tuple(table, tid) => {
            row.insert("relation", Datum::Int(i64::from(table.0)));
            row.insert("page", Datum::Int(i64::from(tid.page)));
            row.insert("tuple", Datum::Int(i64::from(tid.slot) + 1));
        }
        Tag::Transaction(xid) => {
            row.remove("database");
            row.insert("transactionid", Datum::Int(i64::from(xid.0)));
        }
        Tag::Advisory(key) => {
            let (class, object, sub) = match key {
                Key::One(key) => ((key >> 32) & 0xffff_ffff, key & 0xffff_ffff, 1),
                Key::Two(a, b) => (i64::from(a as u32), i64::from(b as u32), 2),
            };
            row.insert("classid", Datum::Int(class));
            row.insert("objid", Datum::Int(object));
            row.insert("objsubid", Datum::Int(sub));
        }
    }
    row
}

fn locks(engine: &Engine) -> Vec<Named> {
    let mut rows = Vec::new();
    for (id, session) in open(engine) {
        for held in engine.locks.held(id) {
            rows.push(lock_row(session.pid, held.tag, held.mode, true));
        }
        if let Some(transaction) = &session.transaction {
            let live = transaction.savepoints.iter().filter_map(|savepoint| savepoint.xid);
            for xid in transaction.xid.into_iter().chain(live) {
                rows.push(lock_row(session.pid, Tag::Transaction(xid), LockMode::Exclusive, true));
            }
        }
        if let Some(waiting) = session.waiting {
            let mut row = lock_row(session.pid, waiting.tag, waiting.mode, false);
            row.insert("waitstart", Datum::Time(waiting.since));
            rows.push(row);
        }
    }
    rows
}

fn activity(engine: &Engine) -> Vec<Named> {
    open(engine)
        .map(|(_, session)| {
            let state = match (&session.transaction, session.statement_since) {
                (_, Some(_)) => "active",
                (Some(transaction), None) if transaction.failed => "idle in transaction (aborted)",
                (Some(_), None) => "idle in transaction",
                (None, None) => "idle",
            };
            let mut row = Named::from([
                ("pid", Datum::Int(i64::from(session.pid))),
                ("application_name", text(&session.name)),
                ("state", text(state)),
                ("query", text(&session.query)),
                ("state_change", Datum::Time(session.state_since)),
                ("backend_type", text("client backend")),
            ]);
            if let Some(waiting) = session.waiting {
                row.insert("wait_event_type", text("Lock"));
                row.insert("wait_event", text(waiting.tag.locktype()));
            } else if state.starts_with("idle") {
                row.insert("wait_event_type", text("Client"));
                row.insert("wait_event", text("ClientRead"));
            }
            if let Some(transaction) = &session.transaction {
                row.insert("xact_start", Datum::Time(transaction.started));
                if let Some(xid) = transaction.xid {
                    row.insert("backend_xid", Datum::Int(i64::from(xid.0)));
                }
            }
            if let Some(since) = session.statement_since {
                row.insert("query_start", Datum::Time(since));
            }
            if let Some(xmin) = session.xmin {
                row.insert("backend_xmin", Datum::Int(i64::from(xmin.0)));
            }
            row
        })
        .collect()
}

/// The name pgrowlocks gives a claim.
fn claim_name(claim: Claim) -> &'static str {
    match claim {
        Claim::Lock(Strength::KeyShare) => "For Key Share",
        Claim::Lock(Strength::Share) => "For Share",
        Claim::Lock(Strength::NoKeyUpdate) => "For No Key Update",
        Claim::Lock(Strength::Update) => "For Update",
        Claim::UpdateNoKey => "No Key Update",
        Claim::UpdateKey => "Update",
    }
}

fn row_locks(engine: &Engine, table: TableId) -> Vec<Named> {
    let Some(data) = engine.tables.get(&table) else { return Vec::new() };
    let mut rows = Vec::new();
    for (page, data) in data.heap.pages.iter().enumerate() {
        for (slot, tuple) in data.slots.iter().enumerate() {
            let Slot::Tuple(tuple) = tuple else { continue };
            if !tuple.xmax.is_running(&engine.xacts) {
                continue;
            }
            let members: Vec<_> = tuple.xmax.members().filter(|(xid, _)| engine.xacts.is_running(*xid)).collect();
            let list = |items: Vec<Datum>| Datum::Array(Rc::new(items));
            let pid = |xid| engine.owner(xid).map_or(0, |id| engine.session(id).pid);
            rows.push(Named::from([
                ("locked_row", Datum::Tid(page as u32, slot as u16 + 1)),
                (
                    "locker",
                    Datum::Int(match &tuple.xmax {
                        Xmax::Many(multi) => i64::from(multi.id),
                        _ => members.first().map_or(0, |(xid, _)| i64::from(xid.0)),
                    }),
                ),
                ("multi", Datum::Bool(matches!(tuple.xmax, Xmax::Many(_)))),
                ("xids", list(members.iter().map(|(xid, _)| Datum::Int(i64::from(xid.0))).collect())),
                ("modes", list(members.iter().map(|(_, claim)| text(claim_name(*claim))).collect())),
                ("pids", list(members.iter().map(|(xid, _)| Datum::Int(i64::from(pid(*xid)))).collect())),
            ]));
        }
    }
    rows
}

fn tables(engine: &Engine) -> Vec<Named> {
    engine
        .catalog
        .tables()
        .filter_map(|(id, def)| Some((id, def, engine.tables.get(&id)?)))
        .map(|(id, def, table)| {
            let stats = table.stats;
            let count = |n: u64| Datum::Int(n as i64);
            Named::from([
                ("relid", Datum::Int(i64::from(id.0))),
                ("schemaname", text("public")),
                ("relname", text(&def.name)),
                ("n_tup_ins", count(stats.inserted)),
                ("n_tup_upd", count(stats.updated)),
                ("n_tup_hot_upd", count(stats.hot_updated)),
                ("n_tup_del", count(stats.deleted)),
                ("n_live_tup", Datum::Int(stats.live)),
                ("n_dead_tup", Datum::Int(stats.dead)),
                ("vacuum_count", count(stats.vacuums)),
                ("autovacuum_count", count(stats.autovacuums)),
            ])
        })
        .collect()
}
