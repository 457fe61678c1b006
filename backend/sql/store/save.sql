-- A run that ended. Its row may be gone: if the database was lost, another server may have taken us for dead.
INSERT INTO runs (id, server, started_at, scenario, ended, summary, bytes)
OVERRIDING SYSTEM VALUE
VALUES ($1, $2, to_timestamp($3::bigint), $4::jsonb, $5, $6::jsonb, $7)
ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, summary = excluded.summary, bytes = excluded.bytes
