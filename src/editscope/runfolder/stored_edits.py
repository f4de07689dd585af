"""Stored edits: whether the file of an edit is the one that the journal names."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import xxhash

from editscope.errors import BadImage, BadInput
from editscope.files import DOCUMENT, read_file

HASH = "image_hash"
"""Where the line of an edit keeps the hash of its file; lines of version 0.1 have none."""


def content_hash(data: bytes) -> str:
    """The hash of a file's content."""
    digest: str = xxhash.xxh3_128_hexdigest(data)
    return digest


def file_hash(path: Path) -> str:
    """The hash of a file; OSError where it cannot be read."""
    return content_hash(read_file(path, DOCUMENT))


def stored_at(folder: Path, line: Mapping[str, Any]) -> Path:
    """Where the file of an edit lies, in its run folder or elsewhere."""
    place = line["image"]
    return Path(place["source"]) if isinstance(place, dict) else folder / str(place)


def problem_with_file(path: Path, line: Mapping[str, Any]) -> str:
    """Why the file of an edit cannot stand for it any more; "" where it is as it was.

    The file of a line without a hash must at least be a picture.
    """
    try:
        current = file_hash(path)
    except FileNotFoundError:
        return "is no longer there"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"
    if line.get(HASH):
        return "" if current == line[HASH] else "is not the file that was stored"
    from editscope.images import decode

    try:
        decode(path)
    except BadImage:
        return "is not a whole picture any more"
    return ""


def check_stored(path: Path, hashes: Mapping[Path, str], run: Path) -> None:
    """Raise BadInput where the file of an edit is there, and is not the one that was stored."""
    if path in hashes and path.is_file() and problem_with_file(path, {HASH: hashes[path]}):
        raise BadInput(damaged(path, run))


def damaged(path: Path, run: Path, why: str = "") -> str:
    """The message where a stored edit is damaged, with the two ways out."""
    detail = f" ({why})" if why else ""
    return (
        f"{path} is not the edit that was stored there; it was changed or damaged{detail}: put it back, "
        f"or make it again with: editscope resume {shlex.quote(str(run))} --edit-again"
    )
