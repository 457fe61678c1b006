-- Heartbeat: the jobs in work show a sign of life.
UPDATE jobs
SET heartbeat_at = clock_timestamp()
FROM unnest($1::bigint[], $2::text[], $3::int[]) AS live (id, worker, attempt)
WHERE jobs.id = live.id AND jobs.worker = live.worker AND jobs.attempts = live.attempt
  AND jobs.status = 'processing'
RETURNING jobs.id
