-- One finished run.
SELECT id, extract(epoch FROM started_at)::bigint AS started_at, scenario::text AS scenario, ended, summary::text AS summary
FROM runs WHERE ended IS NOT NULL AND id = $1
