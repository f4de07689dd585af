"""Models of a plan: who writes, draws, animates, edits and judges."""
