//! Statements that are no query, read from their tokens.

use super::Body;
use super::tokens::{is_word, name_of, unexpected};
use crate::bound::{Isolation, Kind, LockMode};
use crate::catalog::{Catalog, TableId};
use crate::error::SqlError;
use sqlparser::tokenizer::Token;

/// One that names tables or indexes.
#[derive(Debug, Clone)]
pub(super) enum Utility {
    Lock { tables: Vec<String>, mode: LockMode, nowait: bool },
    Truncate(Vec<String>),
    Vacuum(Option<String>),
    Analyze(Option<String>),
    DropTable { names: Vec<String>, if_exists: bool },
    DropIndex { name: String, if_exists: bool },
    SetStorage { table: String, options: Vec<(String, String)> },
}

/// Finds a table: 42P01.
pub(super) fn table(catalog: &Catalog, name: &str) -> Result<TableId, SqlError> {
    let found = catalog.find(name).map(|(id, _)| id);
    found.ok_or_else(|| SqlError::new("42P01", format!("relation \"{name}\" does not exist")))
}

impl Utility {
    /// Looks up what it names.
    pub(super) fn bind(&self, catalog: &Catalog) -> Result<Kind, SqlError> {
        let all = |names: &[String]| names.iter().map(|name| table(catalog, name)).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Utility::Lock { tables, mode, nowait } => {
                Kind::LockTable { tables: all(tables)?, mode: *mode, nowait: *nowait }
            }
            Utility::Truncate(names) => Kind::Truncate(all(names)?),
            Utility::Vacuum(name) => Kind::Vacuum(name.as_ref().map(|name| table(catalog, name)).transpose()?),
            Utility::Analyze(name) => Kind::Analyze(name.as_ref().map(|name| table(catalog, name)).transpose()?),
            Utility::DropTable { names, if_exists: true } => Kind::DropTable {
                tables: names.iter().filter_map(|name| catalog.find(name)).map(|(id, _)| id).collect(),
            },
            Utility::DropTable { names, if_exists: false } => Kind::DropTable { tables: all(names)? },
            Utility::DropIndex { name, if_exists } => {
                let index = catalog.tables().find(|(_, def)| def.indexes.iter().any(|index| index.name == *name));
                if index.is_none() && !if_exists {
                    return Err(SqlError::new("42704", format!("index \"{name}\" does not exist")));
                }
                Kind::DropIndex { index: index.map(|(id, _)| (id, name.clone())) }
            }
            Utility::SetStorage { table: name, options } => {
                Kind::SetStorage { table: table(catalog, name)?, options: options.clone() }
            }
        })
    }
}

/// Reads tokens one by one.
struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// Takes these words, if they are next.
    fn words(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(n, word)| is_word(self.tokens.get(self.at + n), word));
        if found {
            self.at += words.len();
        }
        found
    }

    fn word(&mut self, word: &str) -> bool {
        self.words(&[word])
    }

    fn token(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), SqlError> {
        if self.word(word) { Ok(()) } else { Err(unexpected(self.peek())) }
    }

    /// A name; of a qualified one, the last part.
    fn name(&mut self) -> Result<String, SqlError> {
        loop {
            let name = match self.peek() {
                Some(Token::Word(word)) => name_of(word),
                other => return Err(unexpected(other)),
            };
            self.at += 1;
            if !self.token(&Token::Period) {
                return Ok(name);
            }
        }
    }

    fn names(&mut self) -> Result<Vec<String>, SqlError> {
        let mut names = vec![self.name()?];
        while self.token(&Token::Comma) {
            names.push(self.name()?);
        }
        Ok(names)
    }

    /// A value as text: a string, a number, a word.
    fn value(&mut self) -> Result<String, SqlError> {
        let minus = self.token(&Token::Minus);
        let value = match self.peek() {
            Some(Token::Word(word)) => word.value.clone(),
            Some(Token::SingleQuotedString(text)) => text.clone(),
            Some(Token::Number(text, _)) => format!("{}{text}", if minus { "-" } else { "" }),
            other => return Err(unexpected(other)),
        };
        self.at += 1;
        Ok(value)
    }

    fn end(&self) -> Result<(), SqlError> {
        if self.at == self.tokens.len() { Ok(()) } else { Err(unexpected(self.peek())) }
    }

    fn isolation(&mut self) -> Result<Isolation, SqlError> {
        if self.words(&["read", "committed"]) || self.words(&["read", "uncommitted"]) {
            Ok(Isolation::ReadCommitted)
        } else if self.words(&["repeatable", "read"]) {
            Ok(Isolation::RepeatableRead)
        } else if self.word("serializable") {
            Ok(Isolation::Serializable)
        } else {
            Err(unexpected(self.peek()))
        }
    }

    /// The modes after BEGIN: a level, READ WRITE.
    fn modes(&mut self) -> Result<Option<Isolation>, SqlError> {
        let mut level = None;
        while self.peek().is_some() {
            if self.words(&["isolation", "level"]) {
                level = Some(self.isolation()?);
            } else if self.words(&["read", "only"]) {
                return Err(SqlError::outside_subset("READ ONLY transactions"));
            } else if self.words(&["not", "deferrable"]) || self.words(&["read", "write"]) || self.token(&Token::Comma)
            {
                // What is the default anyway.
            } else {
                return Err(unexpected(self.peek()));
            }
        }
        Ok(level)
    }
}

/// Reads a statement that is no query; none if it is one.
pub(super) fn read(tokens: &[Token]) -> Result<Option<Body>, SqlError> {
    let mut reader = Reader { tokens, at: 0 };
    let body = match reader.read()? {
        Some(body) => body,
        None => return Ok(None),
    };
    reader.end()?;
    Ok(Some(body))
}

impl Reader<'_> {
    fn read(&mut self) -> Result<Option<Body>, SqlError> {
        if self.peek().is_none() {
            return Ok(Some(Body::Plain(Kind::Empty)));
        }
        if let Some(kind) = self.transaction()? {
            return Ok(Some(Body::Plain(kind)));
        }
        let plain = |kind| Ok(Some(Body::Plain(kind)));
        let utility = |utility| Ok(Some(Body::Utility(utility)));
        if self.word("set") {
            return plain(self.set()?);
        }
        if self.word("reset") {
            return plain(Kind::Set { local: false, name: self.name()?, value: None });
        }
        if self.word("show") {
            return plain(Kind::Show(self.name()?));
        }
        if self.word("listen") {
            return plain(Kind::Listen(self.name()?));
        }
        if self.word("unlisten") {
            let all = self.token(&Token::Mul);
            return plain(Kind::Unlisten(if all { None } else { Some(self.name()?) }));
        }
        if self.word("notify") {
            let channel = self.name()?;
            let payload = if self.token(&Token::Comma) { self.value()? } else { String::new() };
            return plain(Kind::Notify(channel, payload));
        }
        if self.word("lock") {
            return utility(self.lock()?);
        }
        if self.word("truncate") {
            self.word("table");
            return utility(Utility::Truncate(self.names()?));
        }
        if self.word("vacuum") {
            return utility(Utility::Vacuum(self.vacuum()?));
        }
        if self.word("analyze") {
            self.word("verbose");
            let name = if self.peek().is_some() { Some(self.name()?) } else { None };
            return utility(Utility::Analyze(name));
        }
        if self.word("drop") {
            return utility(self.drop()?);
        }
        if self.words(&["alter", "table"]) {
            return self.storage().map(|found| found.map(Body::Utility));
        }
        Ok(None)
    }

    fn transaction(&mut self) -> Result<Option<Kind>, SqlError> {
        let work = |reader: &mut Self| _ = reader.word("work") || reader.word("transaction");
        Ok(Some(if self.word("begin") {
            work(self);
            Kind::Begin(self.modes()?)
        } else if self.words(&["start", "transaction"]) {
            Kind::Begin(self.modes()?)
        } else if self.word("commit") || self.word("end") {
            work(self);
            if self.words(&["and", "chain"]) {
                return Err(SqlError::outside_subset("AND CHAIN"));
            }
            Kind::Commit
        } else if self.word("rollback") || self.word("abort") {
            work(self);
            if self.word("to") {
                self.word("savepoint");
                Kind::RollbackTo(self.name()?)
            } else {
                Kind::Rollback
            }
        } else if self.word("savepoint") {
            Kind::Savepoint(self.name()?)
        } else if self.word("release") {
            self.word("savepoint");
            Kind::Release(self.name()?)
        } else {
            return Ok(None);
        }))
    }

    fn set(&mut self) -> Result<Kind, SqlError> {
        if self.words(&["transaction", "isolation", "level"]) {
            return self.isolation().map(Kind::SetIsolation);
        }
        if self.words(&["session", "characteristics", "as", "transaction", "isolation", "level"]) {
            let value = match self.isolation()? {
                Isolation::ReadCommitted => "read committed",
                Isolation::RepeatableRead => "repeatable read",
                Isolation::Serializable => "serializable",
            };
            let name = "default_transaction_isolation".to_owned();
            return Ok(Kind::Set { local: false, name, value: Some(value.to_owned()) });
        }
        let local = self.word("local");
        if !local {
            self.word("session");
        }
        let name = self.name()?;
        if !self.token(&Token::Eq) {
            self.expect("to")?;
        }
        let value = if self.word("default") { None } else { Some(self.value()?) };
        Ok(Kind::Set { local, name, value })
    }

    fn lock(&mut self) -> Result<Utility, SqlError> {
        self.word("table");
        if self.word("only") {
            return Err(SqlError::outside_subset("ONLY"));
        }
        let tables = self.names()?;
        let mut mode = LockMode::AccessExclusive;
        if self.word("in") {
            mode = self.mode()?;
            self.expect("mode")?;
        }
        Ok(Utility::Lock { tables, mode, nowait: self.word("nowait") })
    }

    fn mode(&mut self) -> Result<LockMode, SqlError> {
        let modes: [(&[&str], LockMode); 8] = [
            (&["access", "share"], LockMode::AccessShare),
            (&["row", "share"], LockMode::RowShare),
            (&["row", "exclusive"], LockMode::RowExclusive),
            (&["share", "update", "exclusive"], LockMode::ShareUpdateExclusive),
            (&["share", "row", "exclusive"], LockMode::ShareRowExclusive),
            (&["share"], LockMode::Share),
            (&["exclusive"], LockMode::Exclusive),
            (&["access", "exclusive"], LockMode::AccessExclusive),
        ];
        for (words, mode) in modes {
            if self.words(words) {
                return Ok(mode);
            }
        }
        Err(unexpected(self.peek()))
    }

    fn vacuum(&mut self) -> Result<Option<String>, SqlError> {
        if self.token(&Token::LParen) {
            loop {
                if !(self.word("analyze") || self.word("verbose")) {
                    let option = self.value()?;
                    return Err(SqlError::outside_subset(format!("VACUUM's option {option}")));
                }
                if self.token(&Token::RParen) {
                    break;
                }
                if !self.token(&Token::Comma) {
                    return Err(unexpected(self.peek()));
                }
            }
        } else {
            for word in ["full", "freeze"] {
                if self.word(word) {
                    return Err(SqlError::outside_subset(format!("VACUUM {}", word.to_uppercase())));
                }
            }
            self.word("verbose");
            self.word("analyze");
        }
        if self.peek().is_some() { self.name().map(Some) } else { Ok(None) }
    }

    fn drop(&mut self) -> Result<Utility, SqlError> {
        let index = self.word("index");
        if !index && !self.word("table") {
            let what = self.value()?;
            return Err(SqlError::outside_subset(format!("DROP {}", what.to_uppercase())));
        }
        let if_exists = self.words(&["if", "exists"]);
        let mut names = self.names()?;
        if self.word("cascade") {
            return Err(SqlError::outside_subset("DROP … CASCADE"));
        }
        self.word("restrict");
        if index {
            let name = names.pop().unwrap_or_default();
            if !names.is_empty() {
                return Err(SqlError::outside_subset("DROP INDEX of several"));
            }
            return Ok(Utility::DropIndex { name, if_exists });
        }
        Ok(Utility::DropTable { names, if_exists })
    }

    /// ALTER TABLE … SET (…); none if it is another ALTER TABLE.
    fn storage(&mut self) -> Result<Option<Utility>, SqlError> {
        self.words(&["if", "exists"]);
        self.word("only");
        let table = self.name()?;
        if !self.word("set") || !self.token(&Token::LParen) {
            return Ok(None);
        }
        let mut options = Vec::new();
        loop {
            let name = self.name()?;
            let value = if self.token(&Token::Eq) { self.value()? } else { "true".to_owned() };
            options.push((name, value));
            if self.token(&Token::RParen) {
                return Ok(Some(Utility::SetStorage { table, options }));
            }
            if !self.token(&Token::Comma) {
                return Err(unexpected(self.peek()));
            }
        }
    }
}
