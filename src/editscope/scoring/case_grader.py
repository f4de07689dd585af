"""Graders: what a run keeps of an edit, by the pixels alone or by the effects that its case knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.cases import Case, Effect
from editscope.images import Pixels
from editscope.scoring.effect_change import Mask
from editscope.scoring.effects import effects_floor, grade_effects, missing_effects
from editscope.scoring.pixels import floor_miou, grade_case, missing_score

Levels: TypeAlias = npt.NDArray[np.uint8]


class CaseScore(Protocol):
    """The score of one edit: ``PixelScore`` and ``EffectScore`` are the two implementations."""

    @property
    def failure(self) -> str:
        """The failure mode."""

    def metrics(self) -> Mapping[str, float | None]:
        """The reported metrics as fractions; None where the case has no such number."""

    def to_json(self) -> dict[str, Any]:
        """The evidence, as plain values for a journal line."""


class CaseGrader(Protocol):
    """Scores the edits of one case: ``PixelGrader`` and ``EffectGrader`` are the two implementations."""

    def graded(self, before: Pixels, answer: Pixels, output: Pixels) -> tuple[CaseScore, Levels, float]:
        """The score of an edit, the level of every pixel, and the mIoU of changing nothing."""

    def missing(self, before: Pixels, answer: Pixels) -> tuple[CaseScore, float]:
        """The score of no edit, and the mIoU of changing nothing."""


@dataclass(frozen=True, slots=True)
class PixelGrader:
    """By right and wrong pixels, where input and answer alone say what should change."""

    def graded(self, before: Pixels, answer: Pixels, output: Pixels) -> tuple[CaseScore, Levels, float]:
        """As ``grade_case``."""
        return grade_case(before, answer, output)

    def missing(self, before: Pixels, answer: Pixels) -> tuple[CaseScore, float]:
        """As ``missing_score``."""
        return missing_score(before, answer), floor_miou(before, answer)


@dataclass(frozen=True, slots=True, eq=False)
class EffectGrader:
    """By the recovery of effects, besides the pixels."""

    effects: tuple[Effect, ...]
    ignored: Mask | None = None

    def graded(self, before: Pixels, answer: Pixels, output: Pixels) -> tuple[CaseScore, Levels, float]:
        """As ``grade_effects``."""
        score, levels = grade_effects(before, answer, output, self.effects, self.ignored)
        return score, levels, effects_floor(before, answer, self.effects, self.ignored)

    def missing(self, before: Pixels, answer: Pixels) -> tuple[CaseScore, float]:
        """As ``missing_effects``."""
        floor = effects_floor(before, answer, self.effects, self.ignored)
        return missing_effects(before, answer, self.effects, self.ignored), floor


def grader_for(case: Case) -> CaseGrader:
    """The grader of a case."""
    return EffectGrader(case.effects, case.ignored) if case.effects else PixelGrader()
