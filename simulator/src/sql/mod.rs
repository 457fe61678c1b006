//! From text to a bound statement.
//!
//! `sqlparser` parses queries and definitions. What it does not know of PostgreSQL is read from its tokens first: the four
//! locking clauses ([`tokens`]) and the statements that are no query ([`utility`]). What is outside the subset is refused by
//! name: every field of the syntax tree is looked at, none is passed over.

mod bind;
mod ddl;
mod dml;
mod expr;
mod from;
mod functions;
mod group;
mod locking;
mod operators;
mod outputs;
mod query;
mod tokens;
mod types;
mod utility;
mod views;

pub use views::view_columns;

use crate::bound::{Kind, Statement};
use crate::catalog::Catalog;
use crate::error::SqlError;
use crate::value::Scalar;
use sqlparser::ast;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use tokens::LockWords;

/// A parsed statement, its names not looked up yet.
#[derive(Debug, Clone)]
pub struct Parsed {
    text: String,
    body: Body,
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one for each prepared statement")]
enum Body {
    /// Understood as it stands: transaction control, settings, notifications.
    Plain(Kind),
    /// Names tables.
    Utility(utility::Utility),
    /// A query or a definition, with its locking clauses beside it.
    Tree(Box<ast::Statement>, Vec<LockWords>),
}

impl Parsed {
    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Parses a message: statements between semicolons.
pub fn parse(text: &str) -> Result<Vec<Parsed>, SqlError> {
    tokens::statements(text)?
        .into_iter()
        .map(|(text, tokens)| {
            if let Some(body) = utility::read(&tokens)? {
                return Ok(Parsed { text, body });
            }
            let (tokens, locks) = tokens::take_locking(tokens)?;
            let dialect = PostgreSqlDialect {};
            let mut parser = Parser::new(&dialect).with_tokens(tokens);
            let syntax =
                |error: sqlparser::parser::ParserError| SqlError::new("42601", format!("syntax error: {error}"));
            let tree = parser.parse_statement().map_err(syntax)?;
            let rest = parser.peek_token();
            if rest.token != sqlparser::tokenizer::Token::EOF {
                return Err(SqlError::new("42601", format!("syntax error at or near \"{}\"", rest.token)));
            }
            Ok(Parsed { text, body: Body::Tree(Box::new(tree), locks) })
        })
        .collect()
}

/// BEGIN, COMMIT, ROLLBACK and savepoints, which are understood in a failed transaction too.
pub fn transaction_control(parsed: &Parsed) -> Option<Kind> {
    match &parsed.body {
        Body::Plain(
            kind @ (Kind::Begin(_)
            | Kind::Commit
            | Kind::Rollback
            | Kind::Savepoint(_)
            | Kind::RollbackTo(_)
            | Kind::Release(_)),
        ) => Some(kind.clone()),
        _ => None,
    }
}

/// Looks up what a statement names.
pub fn bind(parsed: &Parsed, catalog: &Catalog) -> Result<Statement, SqlError> {
    let mut binder = bind::Binder::new(catalog);
    let kind = match &parsed.body {
        Body::Plain(kind) => kind.clone(),
        Body::Utility(utility) => utility.bind(catalog)?,
        Body::Tree(tree, locks) => {
            binder.locks = locks;
            binder.statement(tree)?
        }
    };
    Ok(binder.finish(kind))
}

/// Whether a type is one of the whole numbers.
pub fn is_integer(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int2 | Scalar::Int4 | Scalar::Int8)
}

/// 0A000 if the syntax tree has something there.
fn refuse(found: bool, what: &str) -> Result<(), SqlError> {
    if found { Err(SqlError::outside_subset(what)) } else { Ok(()) }
}
