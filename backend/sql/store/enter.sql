-- Notes that a run begins, and gives it its number.
INSERT INTO runs (server, scenario) VALUES ($1, $2::jsonb) RETURNING id
