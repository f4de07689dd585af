"""Rewards: numbers for edits, from pixels that are known and from judges."""
