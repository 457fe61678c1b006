-- The server's own tables, in the schema "rowlock". Several servers may share one database, and so these tables.

-- A server that is alive holds the advisory lock of its row (see live/store.rs); a row without its lock belongs to one
-- that was killed, and what it left is cleared away by the next that starts.
CREATE TABLE servers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE runs (
    -- Also the number in the name of the run's schema, which is why it is never used again.
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    server bigint NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    scenario jsonb NOT NULL,
    -- Whether the schema rowlock_run_<id> is there, or may be.
    has_schema boolean NOT NULL DEFAULT true,
    -- Why it ended; null while it runs. A run is worth listing from here on.
    ended text,
    summary jsonb,
    -- Size of its events as they lie in run_events.
    bytes bigint NOT NULL DEFAULT 0,
    CHECK ((ended IS NULL) = (summary IS NULL))
);

CREATE INDEX runs_with_schema ON runs (server) WHERE has_schema;

-- A run's events: JSON lines, compressed by gzip in pieces that each can be read alone.
CREATE TABLE run_events (
    run int NOT NULL REFERENCES runs ON DELETE CASCADE,
    piece int NOT NULL,
    events bytea NOT NULL,
    PRIMARY KEY (run, piece)
);

-- They are compressed already.
ALTER TABLE run_events ALTER COLUMN events SET STORAGE EXTERNAL;
