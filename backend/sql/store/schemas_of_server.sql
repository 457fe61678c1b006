-- Runs of a server whose schema may still be there.
SELECT id FROM runs WHERE server = $1 AND has_schema
