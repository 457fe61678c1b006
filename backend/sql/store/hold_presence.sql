-- Says that a server is alive, for as long as this session is.
SELECT pg_advisory_lock($1)
