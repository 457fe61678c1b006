-- The events of a run, in order.
SELECT events FROM run_events WHERE run = $1 ORDER BY piece
