"""Errors of the studio that have a status of their own, and how errors are told to a browser."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from editscope.errors import BadInput, EditscopeError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_ROOM = "The disk of the studio is full; nothing was saved."


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


def told_of_database(error: DBAPIError) -> tuple[int, str]:
    """Status and sentence for an error of the database; what was sent is not saved, and can be sent again."""
    said = str(error.orig).lower()
    if "full" in said or "no space" in said:
        return 507, NO_ROOM
    if "locked" in said or "busy" in said:
        return 503, "Another program keeps the studio's database locked; nothing was saved. Try again in a moment."
    if "readonly" in said or "read-only" in said:
        return 503, "The studio's database cannot be written; nothing was saved. Its admin has to allow it."
    if "malformed" in said or "not a database" in said:
        return 503, "The studio's database is damaged; nothing was saved. Its admin has to put a copy back."
    return 503, "The studio's database does not answer; nothing was saved. Try again in a moment."
