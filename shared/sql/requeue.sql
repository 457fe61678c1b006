-- Retry: back on the queue, due after a delay (in microseconds).
UPDATE jobs
SET status = 'queued', worker = NULL, processing_started_at = NULL, heartbeat_at = NULL,
    run_at = clock_timestamp() + $2::bigint * interval '1 microsecond', queued_at = clock_timestamp()
WHERE id = $1{{fence 3}}
