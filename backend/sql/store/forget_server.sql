-- The row of a server that is gone and has nothing left.
DELETE FROM servers WHERE id = $1
