"""The run folder on disk: journal, run.json, stored edits, repeats and the lock."""
