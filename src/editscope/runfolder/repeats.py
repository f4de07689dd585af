"""Repeats of a case: how their steps are named, and the table in which each case counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from editscope.editors.repeats import MARK, plain, repeated
from editscope.errors import BadInput
from editscope.suites import Suite

__all__ = [
    "MARK",
    "REPEAT",
    "case_name",
    "check_more",
    "check_repeats",
    "file_names",
    "folded",
    "plain",
    "repeated",
    "repeats_of",
    "unit_name",
]

Columns: TypeAlias = "dict[str, list[Any]]"

REPEAT = "repeat"
"""The column of scores.parquet that counts repeats from 1; there is none in a run without them."""


def repeats_of(info: Mapping[str, Any]) -> int:
    """How often a run edits each case, from its run.json.

    >>> repeats_of({"settings": {"timeout_s": None}}), repeats_of({"settings": {"repeats": 3}})
    (1, 3)
    """
    return int(info["settings"].get("repeats", 1))


def check_repeats(repeats: int) -> int:
    """A number of repeats that makes sense, or BadInput."""
    if repeats < 1:
        raise BadInput(f"--repeats must be at least 1, not {repeats}")
    return repeats


def check_more(folder: Path, there: Mapping[str, Any], repeats: int) -> None:
    """Raise BadInput where a run has more repeats than are asked for: none of them is taken back."""
    if repeats < repeats_of(there):
        raise BadInput(
            f"{folder} has {repeats_of(there)} repeats of each case and --repeats is {repeats}; give at least "
            f"{repeats_of(there)}, or another folder for a run with fewer"
        )


def file_names(suite: Suite, case_id: str, variant: str, repeat: int) -> tuple[str, ...]:
    """Where the edit of a judged suite may lie in a folder of edits: as the suite says, and the repeat after it."""
    return tuple(repeated(place, repeat) for place in suite.output_names(case_id, variant))


def unit_name(variants: Sequence[str]) -> str:
    """The name of a unit from the names of its variants, which are all of one repeat.

    >>> unit_name(["A~2", "B~2"]), unit_name(["explicit"]), unit_name(["~3"])
    ('A+B~2', 'explicit', '~3')
    """
    split = [plain(name) for name in variants]
    return repeated("+".join(variant for variant, _ in split), split[0][1] if split else 0)


def case_name(case_id: str, name: str) -> str:
    """An edit as people read it: the case, its variant and its repeat.

    >>> case_name("border/012", ""), case_name("border/012", "~2"), case_name("7", "explicit~3")
    ('border/012', 'border/012 · repeat 2', '7@explicit · repeat 3')
    """
    variant, repeat = plain(name)
    return (f"{case_id}@{variant}" if variant else case_id) + (f" · repeat {repeat + 1}" if repeat else "")


def folded(columns: Mapping[str, list[Any]], averaged: Sequence[str]) -> Columns:
    """One row for each case (each number of it) in place of one for each repeat: the mean over its repeats.

    The columns in ``averaged`` become means of the values that are there, None where no repeat has one; all others are
    those of the first repeat. So every case counts once, whatever number of repeats it has, and who draws a case draws
    all of them. Rows without repeats come back as they are.

    >>> rows = {"case_id": ["a", "a", "b"], "variant": ["", "~2", ""], "repeat": [1, 2, 1], "miou": [0.2, 0.4, 0.5]}
    >>> {name: [round(v, 9) if name == "miou" else v for v in found] for name, found in folded(rows, ["miou"]).items()}
    {'case_id': ['a', 'b'], 'variant': ['', ''], 'miou': [0.3, 0.5]}
    """
    if REPEAT not in columns:
        return dict(columns)
    places: dict[tuple[Any, ...], list[int]] = {}
    variants = [plain(name)[0] for name in columns["variant"]]
    finer = [columns[name] for name in ("metric", "key") if name in columns]
    for place, key in enumerate(zip(columns["case_id"], variants, *finer, strict=True)):
        places.setdefault(key, []).append(place)
    merged: Columns = {}
    for name, values in columns.items():
        if name == "variant":
            merged[name] = [key[1] for key in places]
        elif name in averaged:
            merged[name] = [_mean([values[place] for place in own]) for own in places.values()]
        elif name != REPEAT:
            merged[name] = [values[own[0]] for own in places.values()]
    return merged


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and isfinite(value)]
    if not known:
        return None
    # Equal values have themselves as mean, which a sum of tenths would miss by a bit.
    return known[0] if all(value == known[0] for value in known) else sum(known) / len(known)
