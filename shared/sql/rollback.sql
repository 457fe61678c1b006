-- Roll back: nothing of the transaction remains, locks are released.
ROLLBACK
