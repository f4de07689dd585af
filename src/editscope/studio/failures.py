"""Errors of the studio that have a status of their own, and how errors are told to a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from editscope.errors import BadInput, EditscopeError


class Missing(BadInput):
    """Something that an address names does not exist, or no longer."""


class Conflict(BadInput):
    """A change that contradicts what was saved meanwhile."""


@contextmanager
def told_without_paths(folder: Path) -> Iterator[None]:
    """Turn an error that names a file into one that names it from the studio's folder on, as a browser may read it."""
    try:
        yield
    except EditscopeError as error:
        text = str(error)
        if str(folder) not in text:
            raise
        told = text.replace(f"{folder}/", "").replace(str(folder), "the studio's folder")
        raise (Conflict if isinstance(error, Conflict) else BadInput)(told) from error
