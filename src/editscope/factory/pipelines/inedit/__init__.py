"""Pipeline of InEdit-Bench: ways from a start to an end."""
