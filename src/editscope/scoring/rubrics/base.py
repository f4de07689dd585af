"""What a rubric is: the calls about the edits of a case, and the rows of scores that follow from the verdicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from editscope.cases import NOTHING, Case, Status
from editscope.images import Pixels
from editscope.judges import Call, Picture, Verdict


class Prompts(Protocol):
    """A prompt pack: texts by name, with places for words and pictures, and the shape of the reply."""

    def call(
        self, name: str, key: str, pictures: Mapping[str, Sequence[Picture]], words: Mapping[str, str] = NOTHING
    ) -> Call:
        """The call that a prompt makes of these words and pictures; ``key`` names it within its case."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of the tables: the rows whose metric is one of ``metrics``, averaged by the suite's aggregation.

    Row values are kept on their natural scale; ``worst`` and ``best`` are its ends (for bounds and missing outputs),
    and a value v is shown as ``(v - zero) * scale``: a 1–10 score as (v − 1) × 100/9, a share as v × 100.
    """

    name: str
    metrics: tuple[str, ...]
    label: str
    worst: float = 0.0
    best: float = 1.0
    zero: float = 0.0
    scale: float = 100.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is judged together: one edit of a case, or several that one call compares (InEdit's path pairs)."""

    case_id: str
    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One number of one case, or the status that says why there is none; one row of scores.parquet.

    ``key`` is the call it came from ("" for what is computed from several); ``tags`` are added to the case's own.
    """

    metric: str
    value: float | None
    status: Status = "ok"
    variant: str = ""
    key: str = ""
    tags: Mapping[str, str] = field(default_factory=lambda: NOTHING)


class Rubric(ABC):
    """One benchmark's way to judge, separate from its cases so that it can be used on others' (``--protocol``)."""

    name: str
    measures: tuple[Measure, ...]
    headline: str

    def __init__(self, **options: Any) -> None:
        self.options = options

    def units(self, case: Case) -> tuple[Unit, ...]:
        """What of a case is judged together; one unit for each variant unless a rubric says otherwise."""
        return tuple(Unit(case.id, (instruction.variant,)) for instruction in case.instructions)

    @abstractmethod
    def calls(self, case: Case, unit: Unit, edits: Mapping[str, Pixels], prompts: Prompts) -> tuple[Call, ...]:
        """The questions about a unit whose edits (by variant) are all there."""

    @abstractmethod
    def rows(
        self,
        case: Case,
        unit: Unit,
        verdicts: Mapping[str, Sequence[Verdict]],
        pixels: Mapping[str, float | None],
        missing: Status | None = None,
    ) -> tuple[ScoreRow, ...]:
        """The scores of a unit: ``verdicts`` by call key (several where the judge was asked several times or a panel
        judged), ``pixels`` what ``from_pixels`` gave, ``missing`` the status of the edit where there is none."""

    def from_pixels(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> dict[str, float | None]:
        """Numbers that need no judge, such as PSNR outside the edited area."""
        return {}
