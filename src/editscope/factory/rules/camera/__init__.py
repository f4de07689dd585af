"""The camera in a motion caption: where the caption speaks of it, and how it moves."""
