-- Forgets a run; its events go with it.
DELETE FROM runs WHERE id = $1
