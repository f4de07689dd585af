"""Suites that are read from a folder of their authors' data."""
