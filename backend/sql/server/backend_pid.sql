-- Which backend is ours.
SELECT pg_backend_pid()
