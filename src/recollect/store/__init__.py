"""The store: tables, queries and migrations, the same on SQLite and PostgreSQL."""
