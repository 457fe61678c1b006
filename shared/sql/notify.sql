-- Tell the listeners that jobs came; delivered when the transaction commits.
SELECT pg_notify($1::text, '')
