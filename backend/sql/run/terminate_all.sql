-- Ends every backend of the run that is left, and waits (at most 2 s each) until it is gone: some may wait in
-- statements whose client is gone.
SELECT count(pg_terminate_backend(pid, 2000))
FROM pg_stat_activity
WHERE starts_with(application_name, $1) AND pid <> pg_backend_pid()
