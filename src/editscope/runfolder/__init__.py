"""The run folder as it lies on disk: journal, run.json, stored edits, repeats and the lock."""
