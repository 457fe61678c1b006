-- The table of the schedules.
CREATE TABLE jobs (id bigint PRIMARY KEY, run_at int, status text, attempts int, worker text)
