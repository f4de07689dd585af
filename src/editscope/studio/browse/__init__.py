"""Browsing: runs and leaderboards, a gallery of cases, one case in every run, and comparisons."""
