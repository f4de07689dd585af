"""Sections that say what was found: the score, what went wrong, and how runs differ."""
