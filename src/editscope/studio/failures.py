"""Errors of the studio that have a status of their own."""

from __future__ import annotations

from editscope.errors import BadInput


class Missing(BadInput):
    """Something that an address names does not exist, or no longer."""


class Conflict(BadInput):
    """A change that contradicts what was saved meanwhile."""
