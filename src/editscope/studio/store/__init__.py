"""The database of a studio: SQLite in its folder, or PostgreSQL by URL."""
