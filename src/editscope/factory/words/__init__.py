"""Dictionaries of subjects, scenes, keywords and motion templates, by law of physics."""
