-- The partial index for a claim by priority, run_at, id.
CREATE INDEX jobs_queued ON jobs (priority, run_at, id) WHERE status = 'queued'
