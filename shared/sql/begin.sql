-- Begin a transaction.
BEGIN ISOLATION LEVEL {{isolation}}
