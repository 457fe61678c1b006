-- Is the table there?
SELECT 1 FROM {{table}} LIMIT 0
