-- Notes that a run's schema is gone.
UPDATE runs SET has_schema = false WHERE id = $1
