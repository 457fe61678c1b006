-- Dead letter: no attempt is left; kept for a person to look at.
UPDATE jobs
SET status = 'failed', finished_at = clock_timestamp()
WHERE id = $1{{fence 2}}
