-- A table as a record has it.
CREATE TABLE {{table}} ({{columns}})
