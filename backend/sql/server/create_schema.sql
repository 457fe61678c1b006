-- The server's own schema.
CREATE SCHEMA IF NOT EXISTS rowlock
