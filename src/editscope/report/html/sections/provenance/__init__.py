"""Sections that say where the figures come from: how edits were judged, and what was run."""
