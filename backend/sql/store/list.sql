-- Finished runs, newest first.
SELECT id, extract(epoch FROM started_at)::bigint AS started_at, scenario::text AS scenario, ended, summary::text AS summary
FROM runs WHERE ended IS NOT NULL ORDER BY id DESC LIMIT $1
