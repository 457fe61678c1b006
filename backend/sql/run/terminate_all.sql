-- Ends every backend of the run that is left: some may wait in statements whose client is gone.
SELECT count(pg_terminate_backend(pid))
FROM pg_stat_activity
WHERE starts_with(application_name, $1) AND pid <> pg_backend_pid()
