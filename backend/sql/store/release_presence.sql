-- Gives a server's lock back.
SELECT pg_advisory_unlock($1)
