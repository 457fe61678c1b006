-- Forgets finished runs that are older than $1 days, and the oldest ones beyond $2 bytes in all; never one whose schema
-- is still there, and never the newest.
WITH kept AS (
    SELECT id, started_at, has_schema,
           sum(bytes) OVER (ORDER BY id DESC) AS bytes_so_far,
           row_number() OVER (ORDER BY id DESC) AS place
    FROM runs WHERE ended IS NOT NULL
)
DELETE FROM runs USING kept
WHERE runs.id = kept.id AND NOT kept.has_schema AND kept.place > 1
  AND (kept.started_at < now() - make_interval(days => $1) OR kept.bytes_so_far > $2)
RETURNING runs.id
