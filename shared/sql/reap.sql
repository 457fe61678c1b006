-- Reaper: jobs in processing for longer than the lease (in microseconds) go back on the queue.
WITH expired AS (
  SELECT id, worker, attempts,
         clock_timestamp() - coalesce(heartbeat_at, processing_started_at) AS age
  FROM jobs
  WHERE status = 'processing'
    AND coalesce(heartbeat_at, processing_started_at) < clock_timestamp() - $1::bigint * interval '1 microsecond'
  ORDER BY id
  FOR UPDATE SKIP LOCKED
)
UPDATE jobs
SET status = {{verdict}}, worker = NULL, processing_started_at = NULL, heartbeat_at = NULL,
    queued_at = clock_timestamp()
FROM expired
WHERE jobs.id = expired.id
RETURNING jobs.id, expired.worker, jobs.attempts,
          (extract(epoch FROM expired.age) * 1000000)::bigint AS age_us, jobs.status
