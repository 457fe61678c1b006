//! Work on tokens: statements between semicolons, and PostgreSQL's locking clauses, which the parser knows only in part
//! (two strengths of four) and only after LIMIT.

use crate::bound::{Strength, WaitPolicy};
use crate::error::SqlError;
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Tokenizer, Word};

/// A locking clause as written.
#[derive(Debug, Clone)]
pub(super) struct LockWords {
    pub(super) strength: Strength,
    pub(super) wait: WaitPolicy,
    /// OF
    pub(super) of: Vec<String>,
}

/// The marker that stands in the parsed tree for the clause of this number.
pub(super) const MARK: &str = "rowlock clause ";

/// Splits a text at its semicolons; each with its own text, spaces and comments left out of the tokens.
pub(super) fn statements(text: &str) -> Result<Vec<(String, Vec<Token>)>, SqlError> {
    let dialect = PostgreSqlDialect {};
    let all = Tokenizer::new(&dialect, text)
        .tokenize()
        .map_err(|error| SqlError::new("42601", format!("syntax error: {error}")))?;
    let mut found: Vec<(String, Vec<Token>)> = vec![Default::default()];
    for token in all {
        if token == Token::SemiColon {
            found.push(Default::default());
            continue;
        }
        if let Some((text, tokens)) = found.last_mut() {
            text.push_str(&token.to_string());
            if !matches!(token, Token::Whitespace(_)) {
                tokens.push(token);
            }
        }
    }
    let several = found.len() > 1;
    found.retain(|(_, tokens)| !tokens.is_empty());
    if !several && let [(only, _)] = &mut found[..] {
        text.clone_into(only);
    }
    for (text, _) in &mut found {
        *text = text.trim().to_owned();
    }
    Ok(found)
}

/// Whether a token is this word, not quoted.
pub(super) fn is_word(token: Option<&Token>, word: &str) -> bool {
    matches!(token, Some(Token::Word(Word { value, quote_style: None, .. })) if value.eq_ignore_ascii_case(word))
}

/// Takes the locking clauses out and puts a mark at the end of the query that each belongs to.
pub(super) fn take_locking(tokens: Vec<Token>) -> Result<(Vec<Token>, Vec<LockWords>), SqlError> {
    let mut clauses = Vec::new();
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    // For each open parenthesis, the marks that belong before it closes.
    let mut pending: Vec<Vec<usize>> = vec![Vec::new()];
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::LParen => pending.push(Vec::new()),
            Token::RParen => {
                let marks = if pending.len() > 1 { pending.pop() } else { None };
                out.extend(marks.unwrap_or_default().into_iter().flat_map(mark));
            }
            _ if is_word(Some(token), "for") => {
                if let Some((clause, next)) = clause(&tokens, at)? {
                    if let Some(marks) = pending.last_mut() {
                        marks.push(clauses.len());
                    }
                    clauses.push(clause);
                    at = next;
                    continue;
                }
            }
            _ => {}
        }
        out.push(token.clone());
        at += 1;
    }
    out.extend(pending.into_iter().flatten().flat_map(mark));
    Ok((out, clauses))
}

/// `FOR UPDATE OF "rowlock clause n"`, which the parser takes.
fn mark(number: usize) -> [Token; 4] {
    let word =
        |keyword: Keyword, value: &str| Token::Word(Word { value: value.to_owned(), quote_style: None, keyword });
    [
        word(Keyword::FOR, "FOR"),
        word(Keyword::UPDATE, "UPDATE"),
        word(Keyword::OF, "OF"),
        Token::Word(Word { value: format!("{MARK}{number}"), quote_style: Some('"'), keyword: Keyword::NoKeyword }),
    ]
}

/// Reads a locking clause that begins at a FOR; none if it is another FOR.
fn clause(tokens: &[Token], at: usize) -> Result<Option<(LockWords, usize)>, SqlError> {
    let words =
        |from: usize, words: &[&str]| words.iter().enumerate().all(|(n, word)| is_word(tokens.get(from + n), word));
    let (strength, mut next) = if words(at + 1, &["update"]) {
        (Strength::Update, at + 2)
    } else if words(at + 1, &["no", "key", "update"]) {
        (Strength::NoKeyUpdate, at + 4)
    } else if words(at + 1, &["share"]) {
        (Strength::Share, at + 2)
    } else if words(at + 1, &["key", "share"]) {
        (Strength::KeyShare, at + 3)
    } else {
        return Ok(None);
    };
    let mut of = Vec::new();
    if words(next, &["of"]) {
        loop {
            next += 1;
            match tokens.get(next) {
                Some(Token::Word(word)) => of.push(name_of(word)),
                other => return Err(unexpected(other)),
            }
            next += 1;
            if tokens.get(next) != Some(&Token::Comma) {
                break;
            }
        }
    }
    let wait = if words(next, &["nowait"]) {
        next += 1;
        WaitPolicy::Error
    } else if words(next, &["skip", "locked"]) {
        next += 2;
        WaitPolicy::Skip
    } else {
        WaitPolicy::Block
    };
    Ok(Some((LockWords { strength, wait, of }, next)))
}

/// An identifier: lower case unless it is quoted.
pub(super) fn name_of(word: &Word) -> String {
    if word.quote_style.is_some() { word.value.clone() } else { word.value.to_lowercase() }
}

/// 42601 at a token.
pub(super) fn unexpected(token: Option<&Token>) -> SqlError {
    let message = match token {
        Some(token) => format!("syntax error at or near \"{token}\""),
        None => "syntax error at end of input".to_owned(),
    };
    SqlError::new("42601", message)
}
