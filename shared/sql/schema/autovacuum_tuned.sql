-- Autovacuum as a queue table wants it: by rows, not by share of the table, and without pauses.
ALTER TABLE jobs SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100,
    autovacuum_vacuum_cost_delay = 0
)
