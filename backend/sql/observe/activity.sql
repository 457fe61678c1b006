-- Backends that matter to the run and are none of its sessions: orphans of crashed workers, and strangers in the way.
SELECT pid, application_name, coalesce(state, '') AS state, left(query, 300) AS query
FROM pg_stat_activity
WHERE pid = ANY($1)
