-- The partial index for a claim by run_at, id.
CREATE INDEX jobs_queued ON jobs (run_at, id) WHERE status = 'queued'
