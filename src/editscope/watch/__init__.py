"""Checkpoints of a training run, each evaluated on the same cases."""
