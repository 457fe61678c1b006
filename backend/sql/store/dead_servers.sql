-- Servers that are gone without a word: their lock is free. It is taken here, so that only one successor clears up.
-- $1: servers that are this process's own; $2: what is added to a server's id to make the key of its lock.
WITH others AS MATERIALIZED (
    SELECT id FROM servers WHERE id <> ALL ($1)
)
SELECT id FROM others WHERE pg_try_advisory_lock($2 + id)
