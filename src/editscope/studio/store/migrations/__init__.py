"""Revisions of the database, which Alembic runs."""
