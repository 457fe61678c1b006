-- Statistics and visibility for the planner, once everything is loaded.
VACUUM (ANALYZE) jobs
