"""Selections of cases: those that a run is about, and what run.json says of them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.runfolder.run_json import FILE, Info, read_info
from editscope.suites import Suite, Where


def selected(suite: Suite, where: Where | None, limit: int | None, known: str = "") -> tuple[str, ...]:
    """The ids of the cases to run; ``known`` is the digest of those that a run has already.

    Version 0.1 chose other cases for a limit. A run that it began keeps them.
    """
    ids = suite.select(where, limit)
    if known and ids_digest(ids) != known:
        earlier = suite.select(where, limit, spread=False)
        return earlier if ids_digest(earlier) == known else ids
    return ids


def selection_json(suite: Suite, ids: tuple[str, ...], where: Where | None, limit: int | None) -> dict[str, Any]:
    """What run.json says of a selection; ``of`` is the number of cases that the suite has."""
    return {
        "where": None if where is None else {tag: list(values) for tag, values in where.items()},
        "limit": limit,
        "n": len(ids),
        "of": len(suite),
        "ids_digest": ids_digest(ids),
    }


def where_of(info: Info) -> Where:
    """The filter that a run was started with; empty where it had none."""
    return {tag: tuple(values) for tag, values in (info["selection"]["where"] or {}).items()}


def digest_in(folder: str | Path | None) -> str:
    """The digest of the cases of the run that a folder holds; "" where it holds none."""
    if folder is None or not (Path(folder) / FILE).is_file():
        return ""
    return str(read_info(Path(folder))["selection"]["ids_digest"])


def ids_digest(ids: tuple[str, ...]) -> str:
    """A short hash of ids in their order."""
    return sha256("\n".join(ids).encode()).hexdigest()[:16]
