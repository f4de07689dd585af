"""Supervised training: the loop, its loss, optimizers and checkpoints, whatever the model."""
