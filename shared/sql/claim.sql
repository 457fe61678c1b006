-- Claim: pick due jobs, lock them, mark them and hand them back, in one statement.
WITH next_job AS (
  SELECT id FROM jobs
  WHERE status = 'queued' AND run_at <= now(){{attempts_left}}
  {{order_by}}
  LIMIT {{limit}}
  {{lock}}
)
UPDATE jobs
SET status = 'processing', worker = $1, attempts = attempts + 1,
    processing_started_at = clock_timestamp(), heartbeat_at = NULL
FROM next_job
WHERE jobs.id = next_job.id
RETURNING jobs.id, jobs.attempts{{evidence}}
