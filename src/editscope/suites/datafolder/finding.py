"""The place of the list of cases in a folder of data."""

from __future__ import annotations

from pathlib import Path

from editscope.errors import BadInput
from editscope.suites.datafolder.rows import inside

USUAL = "data"
"""The folder in which the repositories of several benchmarks keep their list and its pictures."""


def list_of_cases(folder: Path, name: str, home: str) -> Path:
    """The file ``name`` in a folder or its ``data``; BadInput that says which lists there are instead."""
    for place in (folder, folder / USUAL):
        path = inside(place, name)
        if path is None:
            raise BadInput(f"--file {name!r} leaves the data folder {place}; give a name inside it")
        if path.is_file():
            return path
    others = sorted(path.name for place in (folder, folder / USUAL) for path in place.glob("*.json"))
    choices = f" (there is {', '.join(others[:5])}: choose one with --file)" if others else ""
    raise BadInput(f"{folder} holds no {name}{choices}. {home}")
