-- No autovacuum for this table.
ALTER TABLE jobs SET (autovacuum_enabled = off)
