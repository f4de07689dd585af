"""Commands that train editors."""
