"""Experiments with the settings of papers, as TOML files."""
