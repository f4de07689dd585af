"""Planner: a language model that turns an implicit instruction into what the painter is told."""
