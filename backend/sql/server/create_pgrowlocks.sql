-- The extension that shows row locks; comes with PostgreSQL's contrib package.
CREATE EXTENSION IF NOT EXISTS pgrowlocks SCHEMA rowlock
