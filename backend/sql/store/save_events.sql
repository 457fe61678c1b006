-- One piece of a run's events.
INSERT INTO run_events (run, piece, events) VALUES ($1, $2, $3)
ON CONFLICT (run, piece) DO UPDATE SET events = excluded.events
