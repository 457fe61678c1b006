-- Naive claim, step 1: read which jobs are queued. Nothing is locked.
SELECT id FROM jobs
WHERE status = 'queued' AND run_at <= now(){{attempts_left}}
{{order_by}}
LIMIT {{limit}}
