"""Diagnosis of runs from what they stored: reasoning against drawing, and accuracy at one tolerance."""
