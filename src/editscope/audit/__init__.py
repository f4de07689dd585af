"""Audits of judges on edits whose truth is known."""
