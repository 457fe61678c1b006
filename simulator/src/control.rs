//! Statements that are no query: transaction control, settings, definitions, table locks, vacuum, notifications.

use crate::bound::{Kind, LockMode, NewTable, Statement};
use crate::catalog::{Column, ForeignKey, IndexDef, TableDef, TableId};
use crate::database::Output;
use crate::engine::insert::covers;
use crate::engine::session::Undo;
use crate::engine::{Engine, Notification};
use crate::error::SqlError;
use crate::expr::eval;
use crate::locks::SessionId;
use crate::plan::RowEnv;
use crate::portal::Outcome;
use crate::settings;
use crate::sql::{Parsed, transaction_control};
use crate::storage::heap::Slot;
use crate::storage::index::{Index, LOWEST};
use crate::storage::table::{Table, key_of};
use crate::storage::tuple::Tid;
use crate::storage::xact::State;
use crate::value::{Datum, Row, Scalar, Type};
use std::rc::Rc;

fn done(tag: &str) -> Result<Output, Outcome> {
    Ok(Output { tag: tag.to_owned(), ..Output::default() })
}

/// Transaction control: it is understood also in a transaction that failed.
pub fn early(parsed: &Parsed) -> Option<Kind> {
    transaction_control(parsed)
}

/// BEGIN, COMMIT, ROLLBACK, and savepoints.
pub fn transaction(engine: &mut Engine, me: SessionId, kind: &Kind) -> Result<Output, Outcome> {
    let (in_block, failed) = match &engine.session(me).transaction {
        Some(transaction) => (transaction.block, transaction.failed),
        None => (false, false),
    };
    let aborted =
        || SqlError::new("25P02", "current transaction is aborted, commands ignored until end of transaction block");
    let outside = |what: &str| SqlError::new("25P01", format!("{what} can only be used in transaction blocks"));
    match kind {
        Kind::Begin(_) if failed => Err(aborted().into()),
        Kind::Begin(level) => {
            match engine.session_mut(me).transaction.as_mut() {
                // In a block: a warning. In a message of several statements: the block begins with what went before.
                Some(transaction) => {
                    transaction.block = true;
                    if let Some(level) = level {
                        transaction.isolation = *level;
                    }
                }
                None => engine.begin(me, *level, true),
            }
            done("BEGIN")
        }
        Kind::Commit => {
            engine.end_transaction(me, !failed);
            done(if failed { "ROLLBACK" } else { "COMMIT" })
        }
        Kind::Rollback => {
            engine.end_transaction(me, false);
            done("ROLLBACK")
        }
        Kind::Savepoint(_) if failed => Err(aborted().into()),
        Kind::Savepoint(_) if !in_block => Err(outside("SAVEPOINT").into()),
        Kind::Savepoint(name) => {
            engine.savepoint(me, name);
            done("SAVEPOINT")
        }
        Kind::RollbackTo(_) if !in_block => Err(outside("ROLLBACK TO SAVEPOINT").into()),
        Kind::RollbackTo(name) => {
            let place = engine.find_savepoint(me, name)?;
            engine.rollback_to(me, place);
            done("ROLLBACK")
        }
        Kind::Release(_) if failed => Err(aborted().into()),
        Kind::Release(_) if !in_block => Err(outside("RELEASE SAVEPOINT").into()),
        Kind::Release(name) => {
            let place = engine.find_savepoint(me, name)?;
            engine.release(me, place);
            done("RELEASE")
        }
        _ => Err(SqlError::new("XX000", "no transaction control").into()),
    }
}

/// Everything else that is no query. Blocked: called again it goes on.
pub fn utility(engine: &mut Engine, me: SessionId, statement: &Statement, several: bool) -> Result<Output, Outcome> {
    match &statement.kind {
        Kind::Empty => done(""),
        Kind::SetIsolation(level) => {
            if engine.transaction(me).snapshot.is_some() || engine.transaction(me).command > 0 {
                let message = "SET TRANSACTION ISOLATION LEVEL must be called before any query";
                return Err(SqlError::new("25001", message).into());
            }
            engine.transaction_mut(me).isolation = *level;
            done("SET")
        }
        Kind::Set { local, name, value } => {
            settings::set(engine, me, name, value.as_deref(), *local)?;
            done("SET")
        }
        Kind::Show(name) => {
            let value = settings::show(engine.session(me), name)?;
            let row: Row = [Datum::Text(value.into())].into();
            let columns = [(name.clone(), Type::of(Scalar::Text))].into();
            Ok(Output { tag: "SHOW".to_owned(), columns, rows: vec![row], affected: 1 })
        }
        Kind::CreateTable(table) => {
            create_table(engine, me, table)?;
            done("CREATE TABLE")
        }
        Kind::DropTable { tables } => {
            for table in tables {
                engine.lock_table(me, *table, LockMode::AccessExclusive, false)?;
            }
            for table in tables {
                let referred = engine.catalog.tables().any(|(id, def)| {
                    id != *table && !tables.contains(&id) && def.foreign_keys.iter().any(|key| key.parent == *table)
                });
                if referred {
                    return Err(
                        SqlError::new("2BP01", "cannot drop the table because other objects depend on it").into()
                    );
                }
                remember(engine, me, *table);
                engine.catalog.remove(*table);
                engine.tables.remove(table);
            }
            done("DROP TABLE")
        }
        Kind::CreateIndex { table, index, if_not_exists } => {
            create_index(engine, me, *table, index, *if_not_exists)?;
            done("CREATE INDEX")
        }
        Kind::DropIndex { index } => {
            if let Some((table, name)) = index {
                engine.lock_table(me, *table, LockMode::AccessExclusive, false)?;
                remember(engine, me, *table);
                let mut def = definition(engine, *table)?;
                if let Some(at) = def.indexes.iter().position(|index| index.name == *name) {
                    def.indexes.remove(at);
                    engine.table_mut(*table).indexes.remove(at);
                    engine.catalog.replace(*table, def);
                }
            }
            done("DROP INDEX")
        }
        Kind::AddColumn { table, column } => {
            engine.lock_table(me, *table, LockMode::AccessExclusive, false)?;
            add_column(engine, me, *table, column)?;
            done("ALTER TABLE")
        }
        Kind::SetStorage { table, options } => {
            engine.lock_table(me, *table, LockMode::ShareUpdateExclusive, false)?;
            for (name, value) in options {
                set_storage(engine, *table, name, value)?;
            }
            done("ALTER TABLE")
        }
        Kind::LockTable { tables, mode, nowait } => {
            if !engine.transaction(me).block && !several {
                return Err(SqlError::new("25P01", "LOCK TABLE can only be used in transaction blocks").into());
            }
            for table in tables {
                engine.lock_table(me, *table, *mode, *nowait)?;
            }
            done("LOCK TABLE")
        }
        Kind::Truncate(tables) => {
            for table in tables {
                engine.lock_table(me, *table, LockMode::AccessExclusive, false)?;
            }
            for table in tables {
                remember(engine, me, *table);
                let data = engine.table_mut(*table);
                let indexes = vec![Index::default(); data.indexes.len()];
                *data = Table {
                    indexes,
                    next_identity: data.next_identity,
                    autovacuum: data.autovacuum,
                    ..Table::default()
                };
            }
            done("TRUNCATE TABLE")
        }
        Kind::Vacuum(table) => {
            if engine.transaction(me).block || several {
                return Err(SqlError::new("25001", "VACUUM cannot run inside a transaction block").into());
            }
            for table in table.map_or_else(|| engine.tables.keys().copied().collect(), |table| vec![table]) {
                engine.lock_table(me, table, LockMode::ShareUpdateExclusive, false)?;
                engine.vacuum(table, false);
            }
            done("VACUUM")
        }
        Kind::Analyze(table) => {
            if let Some(table) = table {
                engine.lock_table(me, *table, LockMode::ShareUpdateExclusive, false)?;
            }
            done("ANALYZE")
        }
        Kind::Listen(channel) => {
            engine.transaction_mut(me).listens.push((Some(channel.clone()), true));
            done("LISTEN")
        }
        Kind::Unlisten(channel) => {
            engine.transaction_mut(me).listens.push((channel.clone(), false));
            done("UNLISTEN")
        }
        Kind::Notify(channel, payload) => {
            let pid = engine.session(me).pid;
            let notification = Notification { channel: channel.clone(), payload: payload.clone(), pid };
            engine.transaction_mut(me).notifications.push(notification);
            done("NOTIFY")
        }
        _ => Err(SqlError::new("XX000", "no utility statement").into()),
    }
}

fn definition(engine: &Engine, table: TableId) -> Result<TableDef, SqlError> {
    engine.catalog.get(table).map(|def| (**def).clone()).ok_or_else(|| SqlError::new("42P01", "the table is gone"))
}

/// Keeps a table as it is, for a rollback.
fn remember(engine: &mut Engine, me: SessionId, table: TableId) {
    let undo = Undo { table, def: engine.catalog.get(table).cloned(), data: engine.tables.get(&table).cloned() };
    let depth = engine.session(me).depth();
    engine.transaction_mut(me).undo.push((depth, undo));
}

fn create_table(engine: &mut Engine, me: SessionId, new: &NewTable) -> Result<(), Outcome> {
    if engine.catalog.find(&new.name).is_some() {
        return if new.if_not_exists { Ok(()) } else { Err(taken(&new.name).into()) };
    }
    let def = TableDef {
        name: new.name.clone(),
        columns: new.columns.clone(),
        checks: new.checks.clone(),
        indexes: new.indexes.clone(),
        foreign_keys: Vec::new(),
    };
    let id = engine.catalog.add(def.clone());
    let foreign_keys = new
        .foreign_keys
        .iter()
        .map(|key| ForeignKey {
            name: key.name.clone(),
            columns: key.columns.clone(),
            parent: key.parent.unwrap_or(id),
            parent_columns: key.parent_columns.clone(),
            on_delete: key.on_delete,
            on_update: key.on_update,
        })
        .collect();
    engine.catalog.replace(id, TableDef { foreign_keys, ..def });
    engine.tables.insert(id, Table { indexes: vec![Index::default(); new.indexes.len()], ..Table::default() });
    let depth = engine.session(me).depth();
    engine.transaction_mut(me).undo.push((depth, Undo { table: id, def: None, data: None }));
    engine.lock_table(me, id, LockMode::AccessExclusive, false)?;
    Ok(())
}

fn taken(name: &str) -> SqlError {
    SqlError::new("42P07", format!("relation \"{name}\" already exists"))
}

fn create_index(
    engine: &mut Engine,
    me: SessionId,
    table: TableId,
    index: &IndexDef,
    if_not_exists: bool,
) -> Result<(), Outcome> {
    let exists = engine.catalog.tables().any(|(_, def)| def.indexes.iter().any(|other| other.name == index.name));
    if exists {
        return if if_not_exists { Ok(()) } else { Err(taken(&index.name).into()) };
    }
    engine.lock_table(me, table, LockMode::Share, false)?;
    remember(engine, me, table);
    // Heap-only versions get entries of their own in every index: their chains may differ in the new one's columns.
    let mut def = definition(engine, table)?;
    def.indexes.push(index.clone());
    let xacts = &engine.xacts;
    let Some(data) = engine.tables.get_mut(&table) else { return Ok(()) };
    data.indexes.push(Index::default());
    let mut live: Vec<(Row, bool)> = Vec::new();
    for page in 0..data.heap.pages.len() {
        for slot in 0..data.heap.pages[page].slots.len() {
            let Slot::Tuple(tuple) = &mut data.heap.pages[page].slots[slot] else { continue };
            let tid = Tid { page: page as u32, slot: slot as u16 };
            let was_heap_only = std::mem::take(&mut tuple.heap_only);
            tuple.hot_updated = false;
            if xacts.state(tuple.xmin) == State::Aborted {
                continue;
            }
            let row = tuple.row.clone();
            live.push((row.clone(), tuple.xmax.is_lock_only(xacts)));
            for (number, other) in def.indexes.iter().enumerate() {
                let last = number + 1 == def.indexes.len();
                if (was_heap_only || last) && covers(other, &row)? {
                    data.indexes[number].insert(key_of(other, &row, tid));
                }
            }
        }
    }
    if index.unique {
        let mut keys = Vec::new();
        for (row, alive) in live {
            if alive && covers(index, &row)? && !index.columns.iter().any(|(column, _)| row[*column].is_null()) {
                keys.push(key_of(index, &row, LOWEST));
            }
        }
        keys.sort();
        if keys.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(SqlError::new("23505", format!("could not create unique index \"{}\"", index.name)).into());
        }
    }
    engine.catalog.replace(table, def);
    Ok(())
}

fn add_column(engine: &mut Engine, me: SessionId, table: TableId, column: &Column) -> Result<(), Outcome> {
    let mut def = definition(engine, table)?;
    if def.column(&column.name).is_some() {
        return Err(SqlError::new(
            "42701",
            format!("column \"{}\" of relation \"{}\" already exists", column.name, def.name),
        )
        .into());
    }
    remember(engine, me, table);
    let value = match &column.default {
        Some(default) => eval(default, &mut RowEnv::new(&Row::from([]))).map_err(Outcome::from)?,
        None => Datum::Null,
    };
    let live = engine.table(table).stats.live > 0;
    if column.not_null && value.is_null() && live {
        return Err(SqlError::new("23502", format!("column \"{}\" contains null values", column.name)).into());
    }
    for page in &mut engine.table_mut(table).heap.pages {
        for slot in &mut page.slots {
            if let Slot::Tuple(tuple) = slot {
                tuple.row = tuple.row.iter().cloned().chain([value.clone()]).collect();
            }
        }
    }
    def.columns.push(column.clone());
    engine.catalog.replace(table, def);
    Ok(())
}

fn set_storage(engine: &mut Engine, table: TableId, name: &str, value: &str) -> Result<(), Outcome> {
    let invalid = || SqlError::new("22023", format!("invalid value for \"{name}\": \"{value}\""));
    let autovacuum = &mut engine.table_mut(table).autovacuum;
    match name {
        "autovacuum_enabled" => {
            autovacuum.enabled = match value.to_lowercase().as_str() {
                "on" | "true" | "1" => true,
                "off" | "false" | "0" => false,
                _ => return Err(invalid().into()),
            };
        }
        "autovacuum_vacuum_threshold" => autovacuum.threshold = value.parse().map_err(|_| invalid())?,
        "autovacuum_vacuum_scale_factor" => autovacuum.scale = value.parse().map_err(|_| invalid())?,
        // A vacuum takes no time here, so its pauses change nothing.
        "autovacuum_vacuum_cost_delay" => {}
        _ => return Err(SqlError::outside_subset(format!("the storage parameter \"{name}\"")).into()),
    }
    Ok(())
}

/// Puts definitions and data back as they were before what a rollback undoes.
pub fn undo(engine: &mut Engine, changes: Vec<Undo>) {
    for Undo { table, def, data } in changes.into_iter().rev() {
        match def {
            Some(def) => engine.catalog.replace(table, Rc::unwrap_or_clone(def)),
            None => engine.catalog.remove(table),
        }
        match data {
            Some(data) => _ = engine.tables.insert(table, data),
            None => _ = engine.tables.remove(&table),
        }
    }
}
