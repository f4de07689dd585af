"""RISEBench: reasoning, consistency and plausibility, weighed into one score, and the share of full marks."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.cases import Case
from editscope.images import Pixels
from editscope.scoring.rubrics.base import Measure, Unit
from editscope.scoring.rubrics.combining import Combined
from editscope.scoring.rubrics.pictures import LazyPictures, pictures_of, pixels_picture
from editscope.scoring.rubrics.scales import Ask, ScaleRubric, unanswered

METRICS = {
    "reasoning": "Instruction reasoning",
    "consistency": "Appearance consistency",
    "plausibility": "Visual plausibility",
}
LOGICAL, SPATIAL = "logical", "spatial"
FULL = 5.0


class RiseRubric(ScaleRubric):
    """Two or three calls; logical cases are judged right or wrong, which counts 5 or 1. Shown as (s - 1) * 25."""

    name = "rise"
    headline = "accuracy"
    default_side = 768
    default_quality = 75
    detail = "high"
    measures = (
        Measure("accuracy", ("accuracy",), "Accuracy", note="share of cases with 5 on all that applies"),
        Measure("score", ("score",), "Score", 1.0, 5.0, 1.0, 25.0, note="weighed sum of the metrics"),
        *(Measure(name, (name,), label, 1.0, 5.0, 1.0, 25.0) for name, label in METRICS.items()),
    )

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """Reasoning; consistency unless the case is free of it; plausibility unless it is logical."""
        questions = [Ask.score("reasoning", _reasoning(case))]
        if not case.details.get("consistency_free"):
            questions.append(Ask.score("consistency", _consistency(case)))
        if _category(case) != LOGICAL:
            spatial = "_spatial" if _category(case) == SPATIAL else ""
            questions.append(Ask.score("plausibility", f"plausibility{spatial}"))
        return tuple(questions)

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The instruction, and what the right result is in words."""
        return {**super().words(case, unit), "reference": _reference(case)}

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """The edit, the reference picture, and as source that picture where the case is judged by it."""
        form, pictured = self.form(case), _pictured(case)
        return LazyPictures(
            source=lambda: pictures_of(case.references[:1] if pictured else case.images, form),
            edit=lambda: (pixels_picture(edits[unit.variants[0]], form),),
            reference=lambda: pictures_of(case.references[:1], form),
        )

    def read(self, ask: Ask, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """Wrong or right, 0 or 1, becomes 1 or 5."""
        if "_logical" not in ask.prompt:
            return found
        return {
            metric: one if one.value is None else one.with_value(1.0 + 4.0 * one.value) for metric, one in found.items()
        }

    def derived(self, case: Case, unit: Unit, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """The weighed score, and 1 or 0 for full marks; none where a verdict that decides them is missing."""
        values = {metric: one.value for metric, one in found.items() if one.value is not None}
        status = unanswered(found) or "ok"
        short = any(value != FULL for value in values.values())
        if len(values) < len(found):
            return {"accuracy": Combined(0.0) if short else Combined(None, status), "score": Combined(None, status)}
        return {"accuracy": Combined(float(not short), status), "score": Combined(weighed(values), status)}


def weighed(values: Mapping[str, float]) -> float:
    """0.5 R + 0.3 C + 0.2 V; without V 0.7 R + 0.3 C, without C 0.8 R + 0.2 V. Where R = 1: half, at least 1.

    >>> weighed({"reasoning": 4, "consistency": 5, "plausibility": 3})
    4.1
    >>> weighed({"reasoning": 1, "consistency": 5})  # (0.7 + 1.5) / 2
    1.1
    >>> weighed({"reasoning": 5, "plausibility": 4}), weighed({"reasoning": 1, "plausibility": 1})
    (4.8, 1.0)
    """
    reasoning = values["reasoning"]
    consistency, plausibility = values.get("consistency"), values.get("plausibility")
    if consistency is not None and plausibility is not None:
        score = (5 * reasoning + 3 * consistency + 2 * plausibility) / 10
    elif consistency is not None:
        score = (7 * reasoning + 3 * consistency) / 10
    elif plausibility is not None:
        score = (8 * reasoning + 2 * plausibility) / 10
    else:
        score = reasoning
    return max(1.0, score / 2) if reasoning == 1 else score


def _reasoning(case: Case) -> str:
    """Which prompt asks whether the edit is the right one."""
    category, pictured = _category(case), _pictured(case)
    if category == LOGICAL:
        if pictured:
            return "reasoning_logical_image" + ("_alone" if case.details.get("reasoning_wo_ins") else "")
        return "reasoning_logical"
    if pictured:
        return "reasoning_image"
    return "reasoning_with_source" if case.details.get("reasoning_img") else "reasoning"


def _consistency(case: Case) -> str:
    if _category(case) == LOGICAL:
        return "consistency_logical" + ("" if _pictured(case) else "_text")
    return "consistency_spatial" if _category(case) == SPATIAL else "consistency"


def _pictured(case: Case) -> bool:
    """Whether a case is judged by its reference picture: spatial cases that have one, and logical ones without a text.

    A temporal or causal case never is: its source stays the picture that the editor got.
    """
    category = _category(case)
    textual = category == LOGICAL and bool(case.details.get("reference_txt"))
    return bool(case.references) and category in (SPATIAL, LOGICAL) and not textual


def _category(case: Case) -> str:
    """The category of a case, "logical" or "logical_reasoning"; any other suite's counts as temporal or causal."""
    return case.tags.get("category", "").removesuffix("_reasoning")


def _reference(case: Case) -> str:
    details = case.details
    return str(
        details.get("reference_txt") or details.get("reference") or details.get("explanation") or case.hint or ""
    )
