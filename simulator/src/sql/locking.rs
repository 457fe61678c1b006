//! Where the locking clauses go.

use super::bind::Binder;
use super::query::empty;
use super::tokens::{LockWords, MARK};
use crate::bound::{From, Locking, Query, RelIx, Source};
use crate::error::SqlError;
use sqlparser::ast;

impl Binder<'_> {
    /// The locking clause that a mark stands for.
    pub(super) fn lock_words(&self, clause: &ast::LockClause) -> Result<LockWords, SqlError> {
        let number = clause.of.as_ref().and_then(|name| match name.0.first() {
            Some(ast::ObjectNamePart::Identifier(ident)) => ident.value.strip_prefix(MARK)?.parse::<usize>().ok(),
            _ => None,
        });
        number
            .and_then(|number| self.locks.get(number))
            .cloned()
            .ok_or_else(|| SqlError::new("42601", "a locking clause that is none"))
    }

    /// Applies a locking clause to a query, and to plain sub-selects in its FROM.
    pub(super) fn lock_query(&mut self, query: &mut Query, words: &LockWords) -> Result<(), SqlError> {
        let not_allowed = |with: &str| Err(SqlError::new("0A000", format!("FOR UPDATE is not allowed with {with}")));
        if !query.union_all.is_empty() {
            return not_allowed("UNION/INTERSECT/EXCEPT");
        }
        if query.distinct {
            return not_allowed("DISTINCT clause");
        }
        if let Some(grouping) = &query.grouping {
            return not_allowed(if grouping.keys.is_empty() { "aggregate functions" } else { "GROUP BY clause" });
        }
        let (mut rels, mut nullable) = (Vec::new(), Vec::new());
        if let Some(from) = &query.from {
            sides(from, false, &mut rels, &mut nullable);
        }
        for name in &words.of {
            if !rels.iter().any(|rel| self.rels[*rel as usize].name == *name) {
                let message = format!("relation \"{name}\" in FOR UPDATE clause not found in FROM clause");
                return Err(SqlError::new("42P01", message));
            }
        }
        for rel in rels {
            let named = words.of.contains(&self.rels[rel as usize].name);
            if !words.of.is_empty() && !named {
                continue;
            }
            if let Source::Subquery(inner) = &mut self.rels[rel as usize].source {
                let mut inner = std::mem::replace(&mut **inner, empty());
                let all = LockWords { of: Vec::new(), ..words.clone() };
                self.lock_query(&mut inner, &all)?;
                self.rels[rel as usize].source = Source::Subquery(Box::new(inner));
                continue;
            }
            match &self.rels[rel as usize].source {
                Source::Table(_) => {}
                Source::Cte(_) if named => {
                    return Err(SqlError::new("0A000", "FOR UPDATE cannot be applied to a WITH query"));
                }
                _ if named => return Err(SqlError::new("0A000", "FOR UPDATE cannot be applied to a function")),
                _ => continue,
            }
            if nullable.contains(&rel) {
                return Err(SqlError::new(
                    "0A000",
                    "FOR UPDATE cannot be applied to the nullable side of an outer join",
                ));
            }
            match query.locking.iter_mut().find(|locking| locking.rel == rel) {
                Some(locking) => {
                    locking.strength = locking.strength.max(words.strength);
                    locking.wait = stricter(locking.wait, words.wait);
                }
                None => query.locking.push(Locking { rel, strength: words.strength, wait: words.wait }),
            }
        }
        Ok(())
    }
}

/// NOWAIT before SKIP LOCKED before waiting, where two clauses speak of one table (manual 15, SELECT).
fn stricter(a: crate::bound::WaitPolicy, b: crate::bound::WaitPolicy) -> crate::bound::WaitPolicy {
    use crate::bound::WaitPolicy::*;
    match (a, b) {
        (Error, _) | (_, Error) => Error,
        (Skip, _) | (_, Skip) => Skip,
        _ => Block,
    }
}

fn sides(from: &From, is_nullable: bool, rels: &mut Vec<RelIx>, nullable: &mut Vec<RelIx>) {
    match from {
        From::Rel(rel) => {
            rels.push(*rel);
            if is_nullable {
                nullable.push(*rel);
            }
        }
        From::Join { left, right, outer, .. } => {
            sides(left, is_nullable, rels, nullable);
            sides(right, is_nullable || *outer, rels, nullable);
        }
    }
}
