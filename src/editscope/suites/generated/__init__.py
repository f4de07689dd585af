"""Suites whose cases are made from seeds."""

COUNTS = (1, 10_000)
"""How few and how many problems of one kind a set may have."""
