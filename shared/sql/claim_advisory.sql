-- Claim by advisory lock: the filter takes a lock for each row that it tries.
UPDATE jobs
SET status = 'processing', worker = $1, attempts = attempts + 1,
    processing_started_at = clock_timestamp(), heartbeat_at = NULL
WHERE id = ANY(ARRAY(
  SELECT id FROM jobs
  WHERE status = 'queued' AND run_at <= now(){{attempts_left}}
    AND pg_try_advisory_xact_lock($2::int, id::int)
  {{order_by}}
  LIMIT {{limit}}
)){{guard}}
RETURNING jobs.id, jobs.attempts{{evidence}}
