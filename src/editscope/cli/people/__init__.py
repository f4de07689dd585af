"""Commands for work with people: `studio` and `study`."""
