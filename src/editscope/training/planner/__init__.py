"""Planner: a language model that turns an implicit instruction into a plan for the painter."""
