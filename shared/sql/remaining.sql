-- Can anything still change? Jobs that are on the queue or in processing, as committed.
SELECT (SELECT count(*) FROM jobs WHERE status = 'queued'{{attempts_left}}) AS claimable,
       (SELECT count(*) FROM jobs WHERE status = 'processing') AS processing
