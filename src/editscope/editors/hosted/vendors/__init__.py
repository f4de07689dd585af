"""Hosted editing services, one file each."""
