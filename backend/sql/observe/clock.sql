-- The server's clock, to map its times to the run's.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
