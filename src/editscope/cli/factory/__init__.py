"""Commands that build data sets."""
