"""Drills: real runs that are killed at random moments, and what must hold after each kill."""
