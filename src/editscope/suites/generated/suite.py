"""Suites whose cases are generated from seeds, in memory or on disk in the released layout."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from editscope.cases import Case, Instruction
from editscope.errors import BadInput, unknown
from editscope.images import Indexed, Pixels
from editscope.suites.base import Suite

Strata: TypeAlias = Literal["release", "paper"]
STRATA: tuple[Strata, ...] = ("release", "paper")
"""Whose way of resampling intervals follow, the default first."""
MOST_FLOOR = 0.05
"""The highest mIoU that an editor may get for changing nothing: fainter edits are not asked for."""


@dataclass(frozen=True, eq=False)
class GeneratedProblem:
    """A finished problem: two pictures and everything that ``NNN.json`` says."""

    input: Indexed | Pixels
    answer: Indexed | Pixels
    sidecar: Mapping[str, Any]


class GeneratedSuite(Suite):
    """A suite that makes its cases; the same options make the same bytes."""

    generator: str
    """Goes up whenever the same seed would give other pixels or other words; the tests pin both by hash."""

    slots: Mapping[str, Any]
    """What stands where in the set, by case id."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids ``<task>/NNN``, in the order of the tables."""
        return tuple(self.slots)

    def __contains__(self, case_id: object) -> bool:
        return case_id in self.slots

    def label(self) -> str:
        """Standard set, or what a custom one changes."""
        return described(self.options)

    @abstractmethod
    def problem(self, case_id: str) -> GeneratedProblem:
        """The finished problem behind a case: pictures and the whole description."""

    def size(self, case_id: str) -> tuple[int, int]:
        """Width and height of the pictures of a case. Override it where they are known without making them."""
        height, width = pixels_of(self.problem(case_id).input).shape[:2]
        return width, height

    def case(self, case_id: str) -> Case:
        """Make one case in memory."""
        problem = self.problem(case_id)
        before = pixels_of(problem.input)
        return Case(
            id=case_id,
            suite=self.name,
            images=(before,),
            instructions=(Instruction(problem.sidecar["instruction"]),),
            tags=self.tags(case_id),
            answer=before if problem.answer is problem.input else pixels_of(problem.answer),
            details=problem.sidecar,
        )

    def environment(self) -> Mapping[str, str]:
        """Versions of what decides about pixels besides our own code; recorded with a set on disk."""
        return {}


def pixels_of(picture: Indexed | Pixels) -> Pixels:
    """The colors of a picture of a problem."""
    return picture.rgb() if isinstance(picture, Indexed) else picture


def chosen_names(what: str, given: str | Iterable[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Names given as a list or with commas, checked, in the order in which they are known; all when not given."""
    if given is None:
        return known
    parts = given.split(",") if isinstance(given, str) else [p for item in given for p in str(item).split(",")]
    names = [p.strip() for p in parts if p.strip()]
    for name in names:
        if name not in known:
            raise unknown(what, name, known)
    if not names:
        raise BadInput(f"no {what} was named (known: {', '.join(known)})")
    return tuple(name for name in known if name in names)


def valid_namespace(namespace: str) -> None:
    """Raise BadInput unless the namespace can stand in a seed's text."""
    if not re.fullmatch(r"[^|\s]{1,64}", namespace):
        raise BadInput(f"--namespace {namespace!r} must be 1 to 64 characters without spaces and without '|'")


def valid_strata(strata: str | None) -> Strata:
    """Within what intervals resample: as the release does unless the paper's way is asked for."""
    if strata not in (None, *STRATA):
        raise unknown("strata", str(strata), STRATA)
    return "paper" if strata == "paper" else "release"


def described(options: Mapping[str, Any]) -> str:
    """A set in words: the standard one, or what a custom one changes.

    >>> described({"tasks": ["border"], "n": 3})
    'custom set: tasks=border, n=3'
    """
    chosen = {key: value for key, value in options.items() if key != "strata"}  # no part of what the set is
    if not chosen:
        return "standard set, made from seeds"
    words = (f"{key}={','.join(map(str, v)) if isinstance(v, list) else v}" for key, v in chosen.items())
    return "custom set: " + ", ".join(words)
