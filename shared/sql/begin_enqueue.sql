-- Begin the producer's transaction.
BEGIN
