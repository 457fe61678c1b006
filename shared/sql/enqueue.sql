-- Enqueue: jobs that are due at once.
INSERT INTO jobs (id, priority, max_attempts, payload)
SELECT new.id, new.priority, $3, jsonb_build_object('order', new.id)
FROM unnest($1::bigint[], $2::int[]) AS new (id, priority)
