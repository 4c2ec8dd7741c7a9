"""The one-machine stack: an embedded Postgres and Redis, and the supervisor of Sourcebook's own processes."""
