"""Pipelines that ship: one folder each, with a plan, its prompts, and what the command asks for."""
