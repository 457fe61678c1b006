-- The table in numbers. n_dead_tup lags behind: sessions report it when they are idle.
SELECT coalesce(stats.n_live_tup, 0), coalesce(stats.n_dead_tup, 0), coalesce(stats.n_tup_upd, 0),
       coalesce(stats.n_tup_hot_upd, 0), pg_relation_size('jobs'),
       coalesce(pg_relation_size(to_regclass('jobs_queued')), 0),
       coalesce(stats.vacuum_count + stats.autovacuum_count, 0)
FROM pg_stat_user_tables AS stats
WHERE stats.relid = 'jobs'::regclass
