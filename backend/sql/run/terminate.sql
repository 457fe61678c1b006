-- Ends a backend of the run.
SELECT pg_terminate_backend($1)
