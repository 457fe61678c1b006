-- The queue of one run. Every run has a schema of its own; search_path leads here.
CREATE TABLE jobs (
    id bigint PRIMARY KEY,
    -- When the job is due; a retry sets it into the future.
    run_at timestamptz NOT NULL DEFAULT now(),
    -- When it came on the queue last: by its producer, a retry or the reaper.
    queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The lower number goes first.
    priority int NOT NULL DEFAULT 0,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'done', 'failed')),
    attempts int NOT NULL DEFAULT 0,
    max_attempts int NOT NULL DEFAULT 3,
    -- Who has it: the owner of the attempt that is in processing.
    worker text,
    processing_started_at timestamptz,
    heartbeat_at timestamptz,
    finished_at timestamptz,
    payload jsonb NOT NULL DEFAULT '{}'
);

-- The reaper's index: as big as the work in progress, not as the table.
CREATE INDEX jobs_processing ON jobs (processing_started_at) WHERE status = 'processing';
