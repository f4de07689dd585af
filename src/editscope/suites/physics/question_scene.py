"""Cases that questions are asked about: names, colors, places, masks and both pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from editscope.cases import Case, Question
from editscope.images import Pixels, load
from editscope.suites.effect_questions import Mask, Wording, worded
from editscope.suites.physics.stage import COLORS

Wordings: TypeAlias = dict[str, Wording]
QuestionWriter: TypeAlias = "Callable[[QuestionScene], Wordings]"


class QuestionScene:
    """A case with what wordings need to know: names, colors, masks and both pictures."""

    def __init__(self, case: Case) -> None:
        self.target = str(case.details["target"])
        self.shape = self.target.rpartition(" ")[2]
        self.before: Pixels = load(case.images[0])
        assert case.answer is not None
        self.answer: Pixels = load(case.answer)
        self.scene: Mapping[str, Any] = case.details["scene"]
        self.answer_scene: Mapping[str, Any] = case.details["answer_scene"]
        self._masks = {effect.name: effect.mask for effect in case.effects}

    def mask(self, effect: str) -> Mask:
        """The mask of an effect; empty where the case does not have it."""
        return self._masks.get(effect, np.zeros(self.before.shape[:2], np.bool_))

    def solid(self, name: str, *, after: bool = False) -> Mapping[str, Any]:
        """A solid of the scene before or after."""
        solids: list[Mapping[str, Any]] = (self.answer_scene if after else self.scene)["solids"]
        return next(solid for solid in solids if solid["name"] == name)

    def glass(self) -> str:
        """The name of what is made of glass."""
        return next(str(solid["name"]) for solid in self.scene["solids"] if solid["surface"]["kind"] == "glass")

    def brighter(self, effect: str, *, darker: bool = False) -> Mask:
        """The pixels of an effect that get plainly brighter, or darker."""
        change = self.answer.astype(np.int16).sum(axis=2) - self.before.astype(np.int16).sum(axis=2)
        return np.asarray(self.mask(effect) & ((change < -12) if darker else (change > 12)))

    def color(self, *, after: bool) -> str:
        """The name of the target's color."""
        return nearest(self.solid(self.target, after=after)["surface"]["color"], COLORS)

    def side_of_sun(self, *, after: bool) -> str:
        """The side on which the sun stands."""
        return "right" if (self.answer_scene if after else self.scene)["sun"]["azimuth"] > 0 else "left"


def questions_of(case: Case, wordings: Mapping[str, QuestionWriter]) -> tuple[Question, ...]:
    """The questions of a case, by the wordings of its task; the same at all levels."""
    task = str(case.details["task"])
    return worded(case, wordings[task](QuestionScene(case)), f"{task}|{case.details['seed']}")


def nearest(color: Any, names: Mapping[str, tuple[float, float, float]]) -> str:
    """The name of the color that is most like this one."""
    return min(names, key=lambda name: sum((a - b) ** 2 for a, b in zip(color, names[name], strict=True)))
