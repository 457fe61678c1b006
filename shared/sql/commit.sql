-- Commit: changes become visible, locks are released.
COMMIT
