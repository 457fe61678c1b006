//! Relations and queries.

use super::{Expr, RelIx};
use crate::catalog::TableId;
use crate::value::Type;

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
