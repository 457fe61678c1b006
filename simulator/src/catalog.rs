//! What the database knows of its tables.

use crate::bound::Expr;
use crate::value::Type;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A table's number. Never used twice in one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u32);

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// NOT NULL (a primary key's columns too).
    pub not_null: bool,
    /// What an INSERT that leaves it out puts in; refers to no relation.
    pub default: Option<Rc<Expr>>,
    /// GENERATED … AS IDENTITY or serial: the next number, drawn outside any transaction.
    pub identity: bool,
    /// GENERATED ALWAYS: a value may not be given.
    pub identity_always: bool,
}

/// A CHECK constraint.
#[derive(Debug, Clone)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// True or NULL for a row that is allowed; the row is relation 0.
    pub expr: Rc<Expr>,
}

/// An index, also one that stands for a primary key or a unique constraint.
#[derive(Debug, Clone)]
pub struct IndexDef {
    /// Its name.
    pub name: String,
    /// Columns by position, in order; descending or not.
    pub columns: Vec<(usize, bool)>,
    /// UNIQUE. NULLs are distinct.
    pub unique: bool,
    /// Belongs to the primary key.
    pub primary: bool,
    /// The predicate of a partial index; the row is relation 0.
    pub predicate: Option<Rc<Expr>>,
}

/// What becomes of the referring rows when the referenced row goes or its key changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// NO ACTION or RESTRICT: 23503 while a referring row is there.
    Refuse,
    /// CASCADE.
    Cascade,
    /// SET NULL.
    SetNull,
}

/// A foreign key, kept with the referring table.
#[derive(Debug, Clone)]
pub struct ForeignKey {
    /// Its name.
    pub name: String,
    /// Referring columns.
    pub columns: Vec<usize>,
    /// The referenced table.
    pub parent: TableId,
    /// Referenced columns: a unique index of the parent.
    pub parent_columns: Vec<usize>,
    /// On DELETE of the parent row.
    pub on_delete: Reaction,
    /// On UPDATE of its key.
    pub on_update: Reaction,
}

/// A table's definition.
#[derive(Debug, Clone)]
pub struct TableDef {
    /// Its name, without a schema.
    pub name: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// CHECK constraints.
    pub checks: Vec<Check>,
    /// Indexes, oldest first.
    pub indexes: Vec<IndexDef>,
    /// Foreign keys of this table.
    pub foreign_keys: Vec<ForeignKey>,
}

impl TableDef {
    /// A column's position.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// All tables by number; the number rises with each CREATE.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    tables: BTreeMap<TableId, Rc<TableDef>>,
    next: u32,
    version: u64,
}

impl Catalog {
    /// Finds a table by name.
    pub fn find(&self, name: &str) -> Option<(TableId, &Rc<TableDef>)> {
        self.tables.iter().find(|(_, def)| def.name == name).map(|(id, def)| (*id, def))
    }

    /// A table by number.
    pub fn get(&self, id: TableId) -> Option<&Rc<TableDef>> {
        self.tables.get(&id)
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = (TableId, &Rc<TableDef>)> {
        self.tables.iter().map(|(id, def)| (*id, def))
    }

    /// Adds a table.
    pub fn add(&mut self, def: TableDef) -> TableId {
        let id = TableId(self.next);
        self.next += 1;
        self.tables.insert(id, Rc::new(def));
        self.version += 1;
        id
    }

    /// Replaces a table's definition.
    pub fn replace(&mut self, id: TableId, def: TableDef) {
        self.tables.insert(id, Rc::new(def));
        self.version += 1;
    }

    /// Removes a table.
    pub fn remove(&mut self, id: TableId) {
        self.tables.remove(&id);
        self.version += 1;
    }

    /// Rises with every change: a bound statement is good for the version that it was bound against.
    pub fn version(&self) -> u64 {
        self.version
    }
}
