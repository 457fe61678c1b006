-- Row locks: they are in the rows, not in pg_locks. Reads the whole table.
SELECT locks.pids, locks.modes, locks.locker::text AS xid, jobs.id
FROM pgrowlocks('jobs') AS locks
JOIN jobs ON jobs.ctid = locks.locked_row
