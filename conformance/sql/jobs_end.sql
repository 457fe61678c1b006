-- What a schedule left.
SELECT id, run_at, status, attempts, worker FROM jobs ORDER BY id
