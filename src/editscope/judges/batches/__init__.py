"""Batch APIs of vendors: many calls in one job, for a lower price, answered within a day."""
