"""Suites whose cases are made from seeds: in memory when asked for, or written to disk in the released layout."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editscope.cases import Case, Instruction
from editscope.images import Indexed, Pixels
from editscope.suites.base import Suite


@dataclass(frozen=True, eq=False)
class Made:
    """A finished problem: two pictures and everything that ``NNN.json`` says."""

    input: Indexed | Pixels
    answer: Indexed | Pixels
    sidecar: Mapping[str, Any]


class MadeSuite(Suite):
    """A suite that makes its cases; the same options make the same bytes."""

    generator: str
    """Goes up whenever the same seed would give other pixels or other words; the tests pin both by hash."""

    @abstractmethod
    def made(self, case_id: str) -> Made:
        """The finished problem behind a case: pictures and the whole description."""

    def case(self, case_id: str) -> Case:
        """Make one case in memory."""
        made = self.made(case_id)
        before = _pixels(made.input)
        return Case(
            id=case_id,
            suite=self.name,
            images=(before,),
            instructions=(Instruction(made.sidecar["instruction"]),),
            tags=self.tags(case_id),
            answer=before if made.answer is made.input else _pixels(made.answer),
            details=made.sidecar,
        )

    def environment(self) -> Mapping[str, str]:
        """Versions of what decides about pixels besides our own code; recorded with a set on disk."""
        return {}


def _pixels(picture: Indexed | Pixels) -> Pixels:
    return picture.rgb() if isinstance(picture, Indexed) else picture
