"""Scenes of simple solids and lamps, and the pictures of them: the same scene gives the same bytes."""
