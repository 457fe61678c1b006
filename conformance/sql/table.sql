-- All that is in a table.
SELECT * FROM {{table}}
