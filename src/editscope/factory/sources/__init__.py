"""Sources of records: files and folders of yours, and dictionaries."""
