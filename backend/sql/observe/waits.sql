-- Waits for locks in this database: for what, since when, behind whom. The first waiter of a row waits for a
-- transaction and holds the row's tuple lock, which is how its row is known.
SELECT waiting.pid, waiting.locktype, waiting.mode, waiting.relation::bigint AS relation,
       waiting.relation::regclass::text AS relation_name,
       waiting.page, waiting.tuple::int AS tuple, waiting.transactionid::text AS xid,
       (extract(epoch FROM waiting.waitstart) * 1000000)::bigint AS wait_start_us,
       pg_blocking_pids(waiting.pid) AS blockers,
       held.page AS held_page, held.tuple::int AS held_tuple,
       waiting.classid::bigint AS class_id, waiting.objid::bigint AS object_id
FROM pg_locks AS waiting
LEFT JOIN pg_locks AS held
       ON held.pid = waiting.pid AND held.granted AND held.locktype = 'tuple'
      AND held.relation = 'jobs'::regclass
WHERE NOT waiting.granted
  AND (waiting.database IS NULL OR waiting.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  -- Locks inside the storage are held for an instant and are nobody's row.
  AND waiting.locktype NOT IN ('extend', 'page', 'frozenid', 'speculative token')
ORDER BY waiting.waitstart NULLS LAST, waiting.pid
