//! Changes of rows, definitions, and the statement as a whole.

use super::{Expr, From, Output, Query, Rel, RelIx};
use crate::catalog::{Check, Column, IndexDef, Reaction, TableId};
use crate::value::Type;
use std::rc::Rc;

/// What a column of an inserted row is made of.
#[derive(Debug, Clone)]
pub enum ColumnValue {
    /// The source query's output at this position, already of the column's type.
    Source(u16),
    /// The default, or a constant NULL.
    Default(Rc<Expr>),
    /// The identity's next number.
    Identity,
}

/// INSERT
#[derive(Debug, Clone)]
pub struct Insert {
    /// Into.
    pub table: TableId,
    /// The relation that stands for the inserted row (and for the existing one in DO UPDATE).
    pub rel: RelIx,
    /// The source of rows. VALUES is a query too; DEFAULT VALUES is one without columns that returns one row.
    pub source: Query,
    /// One for each column of the table.
    pub columns: Vec<ColumnValue>,
    /// ON CONFLICT
    pub on_conflict: Option<OnConflict>,
    /// RETURNING
    pub returning: Vec<Output>,
}

/// ON CONFLICT
#[derive(Debug, Clone)]
pub struct OnConflict {
    /// The arbiter: names of unique indexes; empty: any (DO NOTHING only). 42P10 if none fits.
    pub arbiters: Vec<String>,
    /// DO UPDATE; none is DO NOTHING.
    pub update: Option<ConflictUpdate>,
}

/// DO UPDATE
#[derive(Debug, Clone)]
pub struct ConflictUpdate {
    /// The proposed row's relation.
    pub excluded: RelIx,
    /// SET, of the columns' types.
    pub set: Vec<(usize, Expr)>,
    /// WHERE
    pub filter: Option<Expr>,
}

/// UPDATE
#[derive(Debug, Clone)]
pub struct Update {
    /// The table.
    pub table: TableId,
    /// The relation that stands for the target row: the old one in SET and WHERE, the new one in RETURNING.
    pub rel: RelIx,
    /// FROM
    pub from: Option<From>,
    /// WHERE
    pub filter: Option<Expr>,
    /// SET, of the columns' types.
    pub set: Vec<(usize, Expr)>,
    /// RETURNING
    pub returning: Vec<Output>,
}

/// DELETE
#[derive(Debug, Clone)]
pub struct Delete {
    /// The table.
    pub table: TableId,
    /// The target's relation.
    pub rel: RelIx,
    /// USING
    pub using: Option<From>,
    /// WHERE
    pub filter: Option<Expr>,
    /// RETURNING
    pub returning: Vec<Output>,
}

/// A statement that reads or changes rows.
#[derive(Debug, Clone)]
pub enum Dml {
    /// SELECT or VALUES
    Select(Query),
    /// INSERT
    Insert(Insert),
    /// UPDATE
    Update(Update),
    /// DELETE
    Delete(Delete),
}

/// A CTE.
#[derive(Debug, Clone)]
pub struct Cte {
    /// Its name.
    pub name: String,
    /// Its body.
    pub body: Dml,
    /// How often the statement refers to it: a SELECT that nobody reads does not run.
    pub references: u32,
    /// Its rows are computed once and kept: said so, or it locks, acts, changes rows, or is read twice. Otherwise it is
    /// run anew wherever it is read, as a sub-select would be.
    pub materialized: bool,
}

/// Isolation levels (READ UNCOMMITTED is READ COMMITTED).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isolation {
    /// READ COMMITTED
    ReadCommitted,
    /// REPEATABLE READ
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
}

/// Table lock modes, weakest first. Manual 15, 13.3.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum LockMode {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
}

/// A new table; foreign keys name their parent by id.
#[derive(Debug, Clone)]
pub struct NewTable {
    /// Its name.
    pub name: String,
    /// Do nothing if it is there.
    pub if_not_exists: bool,
    /// Columns.
    pub columns: Vec<Column>,
    /// CHECK constraints.
    pub checks: Vec<Check>,
    /// Indexes of PRIMARY KEY and UNIQUE.
    pub indexes: Vec<IndexDef>,
    /// Foreign keys; a reference to the table itself has no parent.
    pub foreign_keys: Vec<NewForeignKey>,
}

/// A foreign key of a new table.
#[derive(Debug, Clone)]
pub struct NewForeignKey {
    /// Its name.
    pub name: String,
    /// Referring columns.
    pub columns: Vec<usize>,
    /// The referenced table; none: this one.
    pub parent: Option<TableId>,
    /// Referenced columns.
    pub parent_columns: Vec<usize>,
    /// ON DELETE
    pub on_delete: Reaction,
    /// ON UPDATE
    pub on_update: Reaction,
}

/// What a statement does.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one for each prepared statement; most are the large one")]
pub enum Kind {
    /// Reads or changes rows.
    Dml(Dml),
    /// BEGIN / START TRANSACTION; the session's default level if none is said.
    Begin(Option<Isolation>),
    /// COMMIT / END
    Commit,
    /// ROLLBACK / ABORT
    Rollback,
    /// SAVEPOINT
    Savepoint(String),
    /// ROLLBACK TO
    RollbackTo(String),
    /// RELEASE
    Release(String),
    /// SET TRANSACTION ISOLATION LEVEL
    SetIsolation(Isolation),
    /// SET [LOCAL] name = value; no value is DEFAULT.
    Set {
        /// LOCAL
        local: bool,
        /// Lower case.
        name: String,
        /// As given: `250`, `1s`, `off`.
        value: Option<String>,
    },
    /// SHOW
    Show(String),
    /// CREATE TABLE
    CreateTable(NewTable),
    /// DROP TABLE
    DropTable {
        /// Those that are there.
        tables: Vec<TableId>,
    },
    /// CREATE INDEX
    CreateIndex {
        /// On.
        table: TableId,
        /// The index.
        index: IndexDef,
        /// Do nothing if the name is taken.
        if_not_exists: bool,
    },
    /// DROP INDEX
    DropIndex {
        /// The table and the index's name; none: nothing to do (IF EXISTS).
        index: Option<(TableId, String)>,
    },
    /// ALTER TABLE … ADD COLUMN
    AddColumn {
        /// The table.
        table: TableId,
        /// The column.
        column: Column,
    },
    /// ALTER TABLE … SET (storage parameters)
    SetStorage {
        /// The table.
        table: TableId,
        /// Name and value, as given.
        options: Vec<(String, String)>,
    },
    /// LOCK TABLE
    LockTable {
        /// In order.
        tables: Vec<TableId>,
        /// Mode.
        mode: LockMode,
        /// NOWAIT
        nowait: bool,
    },
    /// TRUNCATE
    Truncate(Vec<TableId>),
    /// VACUUM [FULL] [ANALYZE]; no table: all.
    Vacuum(Option<TableId>),
    /// ANALYZE
    Analyze(Option<TableId>),
    /// LISTEN
    Listen(String),
    /// UNLISTEN; none: all
    Unlisten(Option<String>),
    /// NOTIFY
    Notify(String, String),
    /// Nothing: an empty statement.
    Empty,
}

/// A bound statement.
#[derive(Debug, Clone)]
pub struct Statement {
    /// What it does.
    pub kind: Kind,
    /// Its relations.
    pub rels: Vec<Rel>,
    /// Its CTEs, each after those that it refers to.
    pub ctes: Vec<Cte>,
    /// Its sub-selects that stand for values.
    pub subplans: Vec<SubPlan>,
    /// Types of its parameters.
    pub params: Vec<Type>,
}

/// A sub-select that stands for a value.
#[derive(Debug, Clone)]
pub struct SubPlan {
    /// The query.
    pub query: Query,
    /// It refers to a relation outside itself: computed anew each time. Otherwise once a statement.
    pub correlated: bool,
}
