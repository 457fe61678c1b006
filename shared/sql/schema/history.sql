-- Done jobs from before the run; their ids are above those of the run.
INSERT INTO jobs (id, run_at, queued_at, status, attempts, worker, processing_started_at, finished_at, payload)
SELECT $1::bigint + n, t.at, t.at, 'done', 1, 'before', t.at, t.at, '{}'
FROM generate_series(1, $2::bigint) AS n,
     LATERAL (SELECT now() - interval '1 hour' - n * interval '1 millisecond' AS at) AS t
