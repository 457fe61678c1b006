-- Which jobs are at these places of the heap.
SELECT ctid::text, id FROM jobs WHERE ctid = ANY($1::text[]::tid[])
