-- The partial index for a claim without an order, or by run_at.
CREATE INDEX jobs_queued ON jobs (run_at) WHERE status = 'queued'
