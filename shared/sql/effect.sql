-- An effect reaches the outside world. With an idempotency key the second one of the same key does nothing.
INSERT INTO effects (job_id, kind, worker, attempt, delivery, idempotency_key)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (idempotency_key) DO NOTHING
RETURNING id
