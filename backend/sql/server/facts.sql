-- What this server is and what this role may do.
SELECT current_setting('server_version_num')::int AS version_num,
       current_setting('server_version') AS version,
       has_database_privilege(current_database(), 'CREATE') AS may_create,
       pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
         OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS reads_all_stats,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
       (SELECT namespace.nspname::text FROM pg_extension AS extension
        JOIN pg_namespace AS namespace ON namespace.oid = extension.extnamespace
        WHERE extension.extname = 'pgrowlocks') AS pgrowlocks_schema
