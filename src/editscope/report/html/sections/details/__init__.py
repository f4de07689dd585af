"""Sections that give the figures in full: tables, profiles, curves, speed and cost."""
