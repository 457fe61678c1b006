# The live engine: what it needs, what is missing.
live-bad-url = DATABASE_URL is not a PostgreSQL address: { $reason }. Give it as postgres://user@host:5432/database
live-too-old = The server is PostgreSQL { $version }; Rowlock needs 14 or newer.
live-no-create = The role may not create schemas in database { $database }. Run: GRANT CREATE ON DATABASE { $database } TO the role.
live-statement = The database refused: { $detail }
notice-no-pgrowlocks = Row locks that nobody waits for cannot be shown: the extension pgrowlocks is missing ({ $why }). Waits are shown all the same.
notice-no-all-stats = This role may not read the statistics of other roles (pg_read_all_stats): strangers are shown by process id only.
notice-clock = The server's times are mapped to the run's clock to within { $us } µs.
notice-observer-failed = The observer stopped: { $why }. Locks and waits are no longer shown.
