-- Rows as a record has them.
INSERT INTO {{table}} VALUES {{rows}}
