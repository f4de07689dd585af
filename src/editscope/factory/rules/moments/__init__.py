"""Moments in between: words that ask for something that is under way rather than for the state at its end."""
