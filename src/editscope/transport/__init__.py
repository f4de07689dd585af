"""Talking to a paid service: sessions, speed, faults, budgets, prices and keys, for judges and editors alike."""
