-- Naive claim, step 2: mark what step 1 saw.
UPDATE jobs
SET status = 'processing', worker = $2, attempts = attempts + 1,
    processing_started_at = clock_timestamp(), heartbeat_at = NULL
WHERE id = ANY($1){{guard}}
RETURNING id, attempts
