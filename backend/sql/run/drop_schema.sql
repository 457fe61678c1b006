-- The run's schema and all that is in it.
DROP SCHEMA IF EXISTS {{schema}} CASCADE
