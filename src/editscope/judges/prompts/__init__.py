"""Prompt packs and the files they are made of."""
