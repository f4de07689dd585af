"""Judging within a run: settings, the calls about each edit, and the verdicts that come in."""
