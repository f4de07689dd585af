"""Runs on a Ray cluster, with the loop of the local engine."""
