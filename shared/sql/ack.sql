-- Ack: the job is done.
UPDATE jobs
SET status = 'done', finished_at = clock_timestamp()
WHERE id = $1{{fence 2}}
