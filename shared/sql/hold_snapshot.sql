-- The bystander takes a snapshot; vacuum may remove nothing that it can still see.
SELECT count(*) FROM jobs WHERE id < 0
