-- Runs that a dead server did not finish: their events died with it.
DELETE FROM runs WHERE server = $1 AND ended IS NULL
