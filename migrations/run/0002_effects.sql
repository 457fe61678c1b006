-- The ledger of effects, as the outside world would keep it: no foreign key to jobs, because the outside knows nothing of
-- our tables, and because a worker's second connection would otherwise wait for the row lock of its own first one, which
-- no deadlock detector can see.
CREATE TABLE effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    job_id bigint NOT NULL,
    kind text NOT NULL,
    worker text NOT NULL,
    attempt int NOT NULL,
    delivery int NOT NULL,
    -- NULLs are distinct: without a key nothing is kept from happening twice.
    idempotency_key text UNIQUE
);
