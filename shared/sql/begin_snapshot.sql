-- Begin a transaction that keeps the snapshot of its first statement to its end.
BEGIN ISOLATION LEVEL REPEATABLE READ
