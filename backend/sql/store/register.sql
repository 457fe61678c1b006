-- A row for this server; its lock is taken in the same transaction, so that nobody sees the one without the other.
INSERT INTO servers DEFAULT VALUES RETURNING id
