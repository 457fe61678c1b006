-- A person's psql may hold a lock in the schema that is to be dropped: it is not waited for longer than this.
SET lock_timeout = '5s'
