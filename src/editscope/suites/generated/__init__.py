"""Suites whose cases are made from seeds."""
