-- A schema for one run.
CREATE SCHEMA {{schema}}
