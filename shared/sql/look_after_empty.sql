-- After an empty claim: what is on the queue? A later snapshot than the claim's.
SELECT count(*) FILTER (WHERE run_at <= now() AND queued_at <= now()) AS was_due,
       count(*) FILTER (WHERE run_at <= clock_timestamp() AND NOT (run_at <= now() AND queued_at <= now())) AS came_due,
       count(*) FILTER (WHERE run_at > clock_timestamp()) AS later
FROM jobs
WHERE status = 'queued'{{attempts_left}}
