"""Rubrics of scores: each prompt is one call about an edit, each field of its reply one score on a scale."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.cases import Case, Status
from editscope.errors import EditscopeError
from editscope.images import Pixels
from editscope.judges import Call, Verdict
from editscope.scoring.rubrics.base import Prompts, Rubric, ScoreRow, Unit, instruction_of, variant_tags
from editscope.scoring.rubrics.combining import Combined, combine
from editscope.scoring.rubrics.pictures import QUALITY, LazyPictures, PictureFormat, pictures_of, pixels_picture


@dataclass(frozen=True, slots=True)
class Ask:
    """One call: its key, the prompt it uses, and the metric that each field of the reply gives."""

    key: str
    prompt: str
    metrics: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def score(cls, metric: str, prompt: str) -> Ask:
        """A call whose one field ``score`` is a metric."""
        return cls(metric, prompt, {"score": metric})


class ScaleRubric(Rubric):
    """A rubric that says which calls apply to a case (``asks``) and what follows from their scores (``derived``)."""

    side: int
    """The longer side of pictures that the judge sees, at most; 0 where they keep their size."""
    quality: int
    """The JPEG quality of pictures that the judge sees; 0 where they lose nothing."""
    default_side: int = 0
    default_quality: int = QUALITY

    def configure(self) -> None:
        """Read ``side`` and ``quality``."""
        self.side = self.number("side", self.default_side)
        self.quality = self.number("quality", self.default_quality, most=100)

    def sending(self) -> dict[str, Any]:
        """Also the size and the quality of pictures."""
        return {**super().sending(), "side": self.side, "quality": self.quality}

    def form(self, case: Case) -> PictureFormat:
        """How the pictures of a case go to the judge."""
        return PictureFormat(self.side, self.quality)

    @abstractmethod
    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """The calls that apply to a case."""

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The texts that prompts may ask for."""
        return {"instruction": instruction_of(case, unit.variants[0]).text}

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """The pictures that prompts may ask for: ``source`` (all inputs, in order) and ``edit``."""
        return LazyPictures(
            source=lambda: pictures_of(case.images, self.form(case)),
            edit=lambda: (pixels_picture(edits[unit.variants[0]], self.form(case)),),
        )

    def read(self, ask: Ask, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """The scores of a call as they came, by metric, on the natural scale."""
        return found

    def adjusted(self, case: Case, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """The scores of a unit after rules that look at several of them."""
        return found

    def derived(self, case: Case, unit: Unit, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """What is computed from the scores of a unit, by metric."""
        return {}

    def keys(self, case: Case, unit: Unit) -> tuple[str, ...]:
        """The keys of all calls about a unit, in order."""
        return tuple(ask.key for ask in self.asks(case, unit))

    def calls(self, case: Case, unit: Unit, edits: Mapping[str, Pixels], prompts: Prompts) -> tuple[Call, ...]:
        """One call for each prompt that applies."""
        pictures, words = self.shown(case, unit, edits), self.words(case, unit)
        return tuple(self.sent(prompts.call(ask.prompt, ask.key, pictures, words)) for ask in self.asks(case, unit))

    def rows(
        self,
        case: Case,
        unit: Unit,
        verdicts: Mapping[str, Sequence[Verdict]],
        pixels: Mapping[str, float | None],
        missing: Status | None = None,
    ) -> tuple[ScoreRow, ...]:
        """A row for each score that applies, then those that are computed from them."""
        scores: dict[str, Combined] = {}
        keys: dict[str, str] = {}
        for ask in self.asks(case, unit):
            keys |= dict.fromkeys(ask.metrics.values(), ask.key)
            if missing is not None:
                scores |= {metric: Combined(self._worst(metric), missing) for metric in ask.metrics.values()}
                continue
            answers = verdicts.get(ask.key, ())
            scores |= self.read(ask, {metric: combine(answers, name) for name, metric in ask.metrics.items()})
        ends = self._ends(case, unit, scores)
        tags = variant_tags(case, unit)
        return tuple(
            ScoreRow(
                metric,
                score.value,
                score.status,
                unit.name,
                keys.get(metric, ""),
                tags,
                score.asked,
                score.answered,
                score.agreement,
                *ends.get(metric, (None, None)),
            )
            for metric, score in self._counted(case, unit, scores).items()
        )

    def _counted(self, case: Case, unit: Unit, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """All numbers of a unit: its scores after the rules that look at several, and what follows from them."""
        adjusted = self.adjusted(case, found)
        return {**adjusted, **self.derived(case, unit, adjusted)}

    def _ends(self, case: Case, unit: Unit, found: Mapping[str, Combined]) -> dict[str, tuple[float, float]]:
        """Where each number lies whatever the missing verdicts would have been; empty where none is missing.

        The numbers are computed twice more, with all missing scores at their worst and at their best. No number of
        any rubric falls where a score rises, so these are its ends.
        """
        gaps = [metric for metric, one in found.items() if one.value is None]
        if not gaps:
            return {}
        low, high = (
            self._counted(case, unit, {**found, **{metric: Combined(self._scale(metric)[end]) for metric in gaps}})
            for end in (0, 1)
        )
        ends = {}
        for metric, one in self._counted(case, unit, found).items():
            worst, best = low[metric].value, high[metric].value
            if worst is not None and best is not None and not worst == best == one.value:
                ends[metric] = (worst, best)
        return ends

    def _worst(self, metric: str) -> float:
        return self._scale(metric)[0]

    def _scale(self, metric: str) -> tuple[float, float]:
        """The worst and the best value of a metric."""
        for measure in self.measures:
            if measure.metrics == (metric,):
                return measure.worst, measure.best
        raise EditscopeError(f"protocol {self.name} has no measure of {metric!r} alone")


def unanswered(scores: Mapping[str, Combined]) -> Status | None:
    """The status of the first score that is not ok, none where all are.

    >>> unanswered({"ac": Combined(5), "pq": Combined(None, "refused")})
    'refused'
    """
    return next((score.status for score in scores.values() if score.status != "ok"), None)
