//! What a statement means: names looked up, types decided, nothing left of the text.
//!
//! Every table, sub-select, CTE reference or VALUES list in a statement is a *relation* with a number of its own in the
//! whole statement ([`RelIx`]); while the statement runs, each has one current row. A column reference is therefore a
//! relation and a position, also from inside a correlated sub-select or a LATERAL item: nothing is ever flattened.

use crate::catalog::{Check, Column, IndexDef, Reaction, TableId};
use crate::value::{Datum, Type};
use std::rc::Rc;

/// A relation's number in its statement.
pub type RelIx = u16;

/// An expression.
#[derive(Debug, Clone)]
pub enum Expr {
    /// A constant.
    Const(Datum),
    /// A parameter; `$1` is 0. Its value is converted to `ty` when the statement starts.
    Param(u16),
    /// A column of a relation's current row.
    Column(RelIx, u16),
    /// ctid, xmin or xmax of a table's current row.
    System(RelIx, SystemColumn),
    /// AND / OR of two or more.
    And(Vec<Expr>),
    /// See [`Expr::And`].
    Or(Vec<Expr>),
    /// NOT
    Not(Box<Expr>),
    /// IS NULL; IS NOT NULL is `Not` of it.
    IsNull(Box<Expr>),
    /// IS [NOT] DISTINCT FROM: distinct when true.
    IsDistinct(Box<Expr>, Box<Expr>),
    /// = <> < <= > >=
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// Arithmetic, concatenation, with the type of the result (int4 overflows at 2^31: 22003).
    Arithmetic(ArithmeticOp, Type, Box<Expr>, Box<Expr>),
    /// `left op ANY (array)`; with `all`, `left op ALL (array)`.
    Quantified {
        /// The operator.
        op: CompareOp,
        /// ALL, not ANY.
        all: bool,
        /// The left side.
        left: Box<Expr>,
        /// The array.
        array: Box<Expr>,
    },
    /// `left IN (a, b, …)`
    InList(Box<Expr>, Vec<Expr>),
    /// LIKE (a constant or not).
    Like(Box<Expr>, Box<Expr>),
    /// CASE; a simple CASE is bound as comparisons.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// coalesce
    Coalesce(Vec<Expr>),
    /// CAST: from its type to another.
    Cast(Box<Expr>, Type),
    /// ARRAY[…]
    Array(Vec<Expr>),
    /// A function without side effects, of its arguments and the statement's times only.
    Call(Function, Vec<Expr>),
    /// A function that acts on the session or on shared state; each evaluation counts.
    Act(Action, Vec<Expr>),
    /// A sub-select as a value; the number is its place in [`Statement::subplans`].
    Sub(u16, SubKind),
}

/// A system column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemColumn {
    /// The tuple's address.
    Ctid,
    /// The transaction that made this version.
    Xmin,
    /// The transaction that replaced, deleted or locked it.
    Xmax,
}

/// How a sub-select becomes a value.
#[derive(Debug, Clone)]
pub enum SubKind {
    /// One row's one column, NULL if there is none; more than one row is 21000.
    Scalar,
    /// EXISTS
    Exists,
    /// ARRAY(SELECT …)
    Array,
    /// `left IN (SELECT …)`; `= ANY (SELECT …)` is the same.
    In(Box<Expr>),
}

/// Comparison operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Arithmetic operators and `||`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ArithmeticOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Concat,
}

/// Functions that compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// now(), current_timestamp, transaction_timestamp(): the start of the transaction.
    Now,
    /// statement_timestamp()
    StatementTime,
    /// clock_timestamp()
    ClockTime,
    /// extract(epoch FROM timestamptz | interval)
    Epoch,
    /// abs
    Abs,
    /// length(text)
    Length,
    /// lower(text)
    Lower,
    /// upper(text)
    Upper,
    /// concat(…): NULLs are left out
    Concat,
    /// greatest
    Greatest,
    /// least
    Least,
    /// nullif(a, b)
    NullIf,
    /// array_length(array, 1)
    ArrayLength,
    /// cardinality(array)
    Cardinality,
    /// repeat(text, int)
    Repeat,
    /// mod(a, b)
    Mod,
    /// hashtext(text): stable, not PostgreSQL's number
    HashText,
    /// jsonb_build_object(…)
    JsonbBuildObject,
    /// to_char is outside; this is version()
    Version,
    /// Unary minus
    Negate,
}

/// Functions that act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// pg_advisory_lock and its kin: `shared`, `xact`, `attempt` (try: no wait).
    AdvisoryLock {
        /// Shared, not exclusive.
        shared: bool,
        /// Released at the end of the transaction.
        xact: bool,
        /// pg_try_…: returns false instead of waiting.
        attempt: bool,
    },
    /// pg_advisory_unlock(_shared)
    AdvisoryUnlock {
        /// Shared, not exclusive.
        shared: bool,
    },
    /// pg_advisory_unlock_all()
    AdvisoryUnlockAll,
    /// pg_notify(channel, payload)
    Notify,
    /// pg_backend_pid()
    BackendPid,
    /// pg_current_xact_id() / txid_current()
    CurrentXid,
    /// pg_current_xact_id_if_assigned()
    CurrentXidIfAssigned,
    /// pg_terminate_backend(pid)
    Terminate,
    /// pg_cancel_backend(pid)
    Cancel,
    /// pg_blocking_pids(pid)
    BlockingPids,
    /// pg_sleep(seconds)
    Sleep,
    /// current_setting(name)
    CurrentSetting,
    /// set_config(name, value, is_local)
    SetConfig,
    /// random(): from the database's own seeded sequence
    Random,
}

/// A relation of a statement.
#[derive(Debug, Clone)]
pub struct Rel {
    /// The name by which columns may be qualified.
    pub name: String,
    /// Column names and types.
    pub columns: Vec<(String, Type)>,
    /// Where its rows come from.
    pub source: Source,
}

/// Where a relation's rows come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A table.
    Table(TableId),
    /// A sub-select in FROM.
    Subquery(Box<Query>),
    /// A CTE, by its place in [`Statement::ctes`].
    Cte(u16),
    /// VALUES
    Values(Vec<Vec<Expr>>),
    /// unnest(array, …): one column an array, padded with NULL
    Unnest(Vec<Expr>),
    /// generate_series(from, to [, step])
    Series(Vec<Expr>),
    /// One of [`SystemView`], read as it stands at that moment.
    View(SystemView),
    /// The row of groups and aggregates that a query computes: group keys first, then aggregates.
    Groups,
    /// The row that an INSERT proposed, in ON CONFLICT DO UPDATE.
    Excluded,
}

/// PostgreSQL's own views that the simulator shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemView {
    /// pg_locks
    Locks,
    /// pg_stat_activity
    Activity,
    /// pgrowlocks(table)
    RowLocks(TableId),
    /// pg_stat_user_tables
    Tables,
}

/// FROM: relations and joins.
#[derive(Debug, Clone)]
pub enum From {
    /// One relation.
    Rel(RelIx),
    /// JOIN; a comma is an inner join without condition.
    Join {
        /// The left side.
        left: Box<From>,
        /// The right side; may refer to the left one (LATERAL).
        right: Box<From>,
        /// LEFT JOIN; a right join is bound with its sides changed.
        outer: bool,
        /// ON
        on: Option<Expr>,
    },
}

/// A sort key.
#[derive(Debug, Clone)]
pub struct Order {
    /// What to sort by.
    pub expr: Expr,
    /// DESC
    pub descending: bool,
    /// NULLS FIRST (the default of DESC)
    pub nulls_first: bool,
}

/// A column of a result.
#[derive(Debug, Clone)]
pub struct Output {
    /// Its value.
    pub expr: Expr,
    /// Its name.
    pub name: String,
    /// Its type (`Unknown` is text by now).
    pub ty: Type,
}

/// A row lock's strength, weakest first. Manual 15, 13.3.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// FOR KEY SHARE
    KeyShare,
    /// FOR SHARE
    Share,
    /// FOR NO KEY UPDATE
    NoKeyUpdate,
    /// FOR UPDATE
    Update,
}

/// What to do where one would have to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitPolicy {
    /// Wait.
    Block,
    /// SKIP LOCKED
    Skip,
    /// NOWAIT: 55P03
    Error,
}

/// FOR …: relations to lock, each once with its strongest clause, in FROM order.
#[derive(Debug, Clone, Copy)]
pub struct Locking {
    /// The relation; always a table of this query's own FROM, or of a plain sub-select in it that the clause reaches into.
    pub rel: RelIx,
    /// How strongly.
    pub strength: Strength,
    /// And what to do if it is locked.
    pub wait: WaitPolicy,
}

/// Aggregate functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AggregateFunction {
    /// count(*)
    CountAll,
    Count,
    Min,
    Max,
    Sum,
    Avg,
    ArrayAgg,
    StringAgg,
    BoolAnd,
    BoolOr,
}

/// A call of an aggregate.
#[derive(Debug, Clone)]
pub struct AggregateCall {
    /// Which.
    pub function: AggregateFunction,
    /// Its arguments.
    pub args: Vec<Expr>,
    /// DISTINCT
    pub distinct: bool,
    /// ORDER BY within the call
    pub order: Vec<Order>,
    /// FILTER (WHERE …)
    pub filter: Option<Expr>,
    /// Type of the result.
    pub ty: Type,
}

/// Grouping of a query.
#[derive(Debug, Clone)]
pub struct Grouping {
    /// The relation ([`Source::Groups`]) whose current row holds the keys, then the calls' results.
    pub rel: RelIx,
    /// GROUP BY; empty with aggregates: one group, also of no rows.
    pub keys: Vec<Expr>,
    /// The calls.
    pub calls: Vec<AggregateCall>,
    /// HAVING
    pub having: Option<Expr>,
}

/// A SELECT (or a VALUES list: one relation, all its columns).
#[derive(Debug, Clone)]
pub struct Query {
    /// FROM; without it, one empty row.
    pub from: Option<From>,
    /// WHERE
    pub filter: Option<Expr>,
    /// Grouping, if there is any; then `output`, `order` and `having` refer to its relation.
    pub grouping: Option<Grouping>,
    /// DISTINCT over the whole output
    pub distinct: bool,
    /// The select list.
    pub output: Vec<Output>,
    /// ORDER BY: expressions, also where the text gave a position or an output's name.
    pub order: Vec<Order>,
    /// LIMIT (bigint, NULL is no limit)
    pub limit: Option<Expr>,
    /// OFFSET
    pub offset: Option<Expr>,
    /// FOR UPDATE and the like; not allowed with grouping, DISTINCT (0A000).
    pub locking: Vec<Locking>,
    /// UNION ALL of further queries with the same columns.
    pub union_all: Vec<Query>,
}

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
