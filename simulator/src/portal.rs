//! One statement of one session: bound and planned when its tables changed, run again and again.

use crate::bound::{Dml, Kind, LockMode, Query, Source, Statement};
use crate::catalog::TableId;
use crate::database::Output;
use crate::engine::Engine;
use crate::error::SqlError;
use crate::exec::dml::DmlExec;
use crate::exec::{CteState, Cx, State, SubState, foreign};
use crate::expr::{Stop, Times};
use crate::locks::SessionId;
use crate::plan::Planner;
use crate::sql::{Parsed, bind};
use crate::value::{Datum, Row, Type};
use std::rc::Rc;

/// Why a statement did not come to its end.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It waits.
    Blocked,
    /// It failed.
    Error(SqlError),
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Outcome {
        match stop {
            Stop::Blocked => Outcome::Blocked,
            Stop::Error(error) => Outcome::Error(error),
        }
    }
}

impl From<SqlError> for Outcome {
    fn from(error: SqlError) -> Outcome {
        Outcome::Error(error)
    }
}

/// A parsed statement.
#[derive(Debug)]
pub struct Prepared {
    /// Its text.
    pub text: String,
    parsed: Parsed,
}

impl Prepared {
    /// Of a parsed text.
    pub fn new(parsed: Parsed) -> Prepared {
        Prepared { text: parsed.text().to_owned(), parsed }
    }
}

/// How far a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    New,
    /// Taking its table locks; so many are held.
    Locking(usize),
    Running,
    Checking,
}

/// A statement as a session runs it.
#[derive(Debug, Clone, Default)]
pub struct Portal {
    statement: Option<Rc<Statement>>,
    version: u64,
    locks: Vec<(TableId, LockMode)>,
    exec: Option<Box<DmlExec>>,
    state: State,
    columns: Rc<[(String, Type)]>,
    phase: Phase,
    rows: Vec<Row>,
    count: u64,
}

impl Portal {
    /// Forgets a run that failed.
    pub fn drop_run(&mut self) {
        if self.phase != Phase::New {
            self.phase = Phase::New;
            // Parts of it may have been taken out when it stopped.
            self.statement = None;
        }
        self.rows.clear();
    }

    /// Runs, or goes on. `several`: it is one of several statements of a message.
    pub fn run(
        &mut self,
        engine: &mut Engine,
        me: SessionId,
        prepared: &Prepared,
        params: &[Datum],
        several: bool,
    ) -> Result<Output, Outcome> {
        if self.phase == Phase::New {
            if let Some(kind) = crate::control::early(&prepared.parsed) {
                return crate::control::transaction(engine, me, &kind);
            }
            if engine.session(me).transaction.as_ref().is_some_and(|transaction| transaction.failed) {
                let message = "current transaction is aborted, commands ignored until end of transaction block";
                return Err(SqlError::new("25P02", message).into());
            }
            if engine.session(me).transaction.is_none() {
                engine.begin(me, None, false);
            }
            self.prepare(engine, prepared)?;
        }
        let Some(statement) = self.statement.clone() else {
            return Err(SqlError::new("XX000", "an unplanned statement").into());
        };
        if !matches!(statement.kind, Kind::Dml(_)) {
            self.phase = Phase::Running;
            let result = crate::control::utility(engine, me, &statement, several);
            if !matches!(result, Err(Outcome::Blocked)) {
                self.phase = Phase::New;
                if result.is_ok()
                    && let Some(transaction) = engine.session_mut(me).transaction.as_mut()
                {
                    transaction.command += 1;
                }
            }
            return result;
        }
        self.run_dml(engine, me, &statement, params)
    }

    /// Binds and plans, if the tables are not those of the last time.
    fn prepare(&mut self, engine: &Engine, prepared: &Prepared) -> Result<(), SqlError> {
        if self.statement.is_some() && self.version == engine.catalog.version() {
            return Ok(());
        }
        let statement = Rc::new(bind(&prepared.parsed, &engine.catalog)?);
        self.version = engine.catalog.version();
        self.exec = None;
        if let Kind::Dml(dml) = &statement.kind {
            let planner = Planner { statement: &statement, catalog: &engine.catalog };
            self.exec = Some(Box::new(planner.dml(dml)?));
            let ctes = statement
                .ctes
                .iter()
                .map(|cte| {
                    let changes = !matches!(cte.body, Dml::Select(_));
                    let needed = changes || cte.materialized;
                    let body = if needed { Some(Box::new(planner.dml(&cte.body)?)) } else { None };
                    Ok(CteState { body, rows: Vec::new(), done: false, changes })
                })
                .collect::<Result<_, SqlError>>()?;
            let subs = statement
                .subplans
                .iter()
                .map(|sub| {
                    let query = Some(Box::new(planner.query(&sub.query)?));
                    let correlated = sub.correlated;
                    Ok(SubState { query, correlated, running: false, rows: Vec::new(), done: false })
                })
                .collect::<Result<_, SqlError>>()?;
            self.state = State::new(statement.rels.len(), ctes, subs);
            self.locks = table_locks(&statement);
            let outputs = match dml {
                Dml::Select(query) => &query.output,
                Dml::Insert(insert) => &insert.returning,
                Dml::Update(update) => &update.returning,
                Dml::Delete(delete) => &delete.returning,
            };
            self.columns = outputs.iter().map(|output| (output.name.clone(), output.ty)).collect();
        }
        self.statement = Some(statement);
        Ok(())
    }

    fn run_dml(
        &mut self,
        engine: &mut Engine,
        me: SessionId,
        statement: &Statement,
        params: &[Datum],
    ) -> Result<Output, Outcome> {
        if self.phase == Phase::New {
            let params = crate::expr::params(params, &statement.params)?;
            let transaction = engine.transaction(me);
            let started = transaction.started;
            let (newest, command) =
                (transaction.isolation == crate::bound::Isolation::ReadCommitted, transaction.command);
            // Above READ COMMITTED the snapshot is taken before the statement waits for its tables.
            if !newest && transaction.snapshot.is_none() {
                let mut snapshot = Default::default();
                engine.xacts.snapshot(&mut snapshot, command);
                engine.transaction_mut(me).snapshot = Some(snapshot);
            }
            let now = engine.now;
            self.state.reset(params, Times { transaction: started, statement: now, clock: now });
            (self.state.newest, self.state.command) = (newest, command);
            if let Some(exec) = &mut self.exec {
                exec.rewind();
            }
            self.rows.clear();
            self.count = 0;
            self.phase = Phase::Locking(0);
        }
        while let Phase::Locking(n) = self.phase {
            match self.locks.get(n) {
                Some((table, mode)) => {
                    engine.lock_table(me, *table, *mode, false)?;
                    self.phase = Phase::Locking(n + 1);
                }
                None => {
                    match &engine.transaction(me).snapshot {
                        Some(kept) => {
                            self.state.snapshot.clone_from(kept);
                            self.state.snapshot.command = self.state.command;
                        }
                        None => engine.xacts.snapshot(&mut self.state.snapshot, self.state.command),
                    }
                    engine.session_mut(me).xmin = Some(self.state.snapshot.xmin);
                    self.phase = Phase::Running;
                }
            }
        }
        let Some(mut exec) = self.exec.take() else {
            return Err(SqlError::new("XX000", "a statement without a plan").into());
        };
        let result = self.drain(engine, me, &mut exec);
        let affected = exec.affected();
        self.exec = Some(exec);
        result?;
        self.phase = Phase::New;
        engine.session_mut(me).xmin = None;
        engine.transaction_mut(me).command += 1;
        let count = affected.unwrap_or(self.count);
        let tag = match &statement.kind {
            Kind::Dml(Dml::Select(_)) => format!("SELECT {count}"),
            Kind::Dml(Dml::Insert(_)) => format!("INSERT 0 {count}"),
            Kind::Dml(Dml::Update(_)) => format!("UPDATE {count}"),
            _ => format!("DELETE {count}"),
        };
        Ok(Output { tag, columns: self.columns.clone(), rows: std::mem::take(&mut self.rows), affected: count })
    }

    fn drain(&mut self, engine: &mut Engine, me: SessionId, exec: &mut DmlExec) -> Result<(), Stop> {
        let keep = !self.columns.is_empty() || exec.affected().is_none();
        let mut cx = Cx { engine, me, state: &mut self.state };
        if self.phase == Phase::Running {
            while let Some(row) = exec.next(&mut cx)? {
                self.count += 1;
                if keep {
                    self.rows.push(row);
                }
            }
            cx.finish_ctes()?;
            self.phase = Phase::Checking;
        }
        foreign::run(&mut cx)
    }
}

/// The tables of a statement with the locks that it takes, in the order of its text.
fn table_locks(statement: &Statement) -> Vec<(TableId, LockMode)> {
    let mut locks: Vec<(TableId, LockMode)> = Vec::new();
    let mut add = |table: TableId, mode: LockMode| match locks.iter_mut().find(|(other, _)| *other == table) {
        Some((_, old)) => *old = (*old).max(mode),
        None => locks.push((table, mode)),
    };
    let mut targets = |dml: &Dml| match dml {
        Dml::Select(_) => {}
        Dml::Insert(insert) => add(insert.table, LockMode::RowExclusive),
        Dml::Update(update) => add(update.table, LockMode::RowExclusive),
        Dml::Delete(delete) => add(delete.table, LockMode::RowExclusive),
    };
    if let Kind::Dml(dml) = &statement.kind {
        targets(dml);
    }
    statement.ctes.iter().for_each(|cte| targets(&cte.body));
    let mut locked = Vec::new();
    let mut queries: Vec<&Query> = statement.subplans.iter().map(|sub| &sub.query).collect();
    for dml in statement.ctes.iter().map(|cte| &cte.body).chain(match &statement.kind {
        Kind::Dml(dml) => Some(dml),
        _ => None,
    }) {
        match dml {
            Dml::Select(query) => queries.push(query),
            Dml::Insert(insert) => queries.push(&insert.source),
            _ => {}
        }
    }
    queries.extend(statement.rels.iter().filter_map(|rel| match &rel.source {
        Source::Subquery(query) => Some(&**query),
        _ => None,
    }));
    while let Some(query) = queries.pop() {
        locked.extend(query.locking.iter().map(|locking| locking.rel));
        queries.extend(&query.union_all);
    }
    for (n, rel) in statement.rels.iter().enumerate() {
        if let Source::Table(table) = rel.source {
            add(table, if locked.contains(&(n as u16)) { LockMode::RowShare } else { LockMode::AccessShare });
        }
    }
    locks
}
