"""KRIS-Bench: consistency, instruction, quality and, where a category needs it, knowledge, 1 to 5 each."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.cases import Case
from editscope.images import Pixels
from editscope.scoring.rubrics.base import Measure, Unit
from editscope.scoring.rubrics.pictures import Shown, pictures_of, pixels_picture
from editscope.scoring.rubrics.scales import Ask, ScaleRubric

METRICS = {
    "vc": "Visual consistency",
    "vq": "Visual quality",
    "if": "Instruction following",
    "kp": "Knowledge plausibility",
}
KNOWLEDGE = frozenset(
    (
        "abstract_reasoning",
        "mathematics",
        "practical_knowledge",
        "medicine",
        "rule-based_reasoning",
        "biology",
        "geography",
        "chemistry",
        "humanities",
        "physics",
    )
)
"""The categories that are judged for knowledge, together with the instruction."""
OTHERS = frozenset(
    (
        "count_change",
        "color_change",
        "size_adjustment",
        "part_completion",
        "anomaly_correction",
        "position_movement",
        "viewpoint_change",
        "temporal_prediction",
        "multi-instruction_execution",
        "multi-element_composition",
    )
)


class Kris(ScaleRubric):
    """Three calls, shown as (s - 1) * 25; every average is over cases, and a case is the mean of its metrics.

    On cases of other suites: several inputs take the prompts of compositions, and an explanation or a hint takes
    the call that asks for instruction and knowledge together.
    """

    name = "kris"
    headline = "average"
    fold = ("case_id",)
    default_side = 1024
    measures = (
        *(Measure(name, (name,), label, 1.0, 5.0, 1.0, 25.0) for name, label in METRICS.items()),
        Measure("average", tuple(METRICS), "Average", 1.0, 5.0, 1.0, 25.0, note="of a case's metrics"),
    )

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """Consistency, instruction (with knowledge in the same call, where it applies) and quality."""
        category = _category(case)
        several = {"temporal_prediction": "_temporal", "multi-element_composition": "_multi"}.get(category, "")
        if not category and len(case.images) > 1:
            several = "_multi"
        alone = {"viewpoint_change": "_viewpoint", "anomaly_correction": "_anomaly"}.get(category, several)
        knows = category in KNOWLEDGE or (not category and bool(_explanation(case)) and not several)
        asked = (
            Ask("knowledge", "knowledge", {"instruction": "if", "knowledge": "kp"})
            if knows
            else Ask("instruction", f"instruction{alone}", {"score": "if"})
        )
        return (
            Ask("consistency", f"consistency{several}", {"score": "vc"}),
            asked,
            Ask("quality", "quality", {"score": "vq"}),
        )

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The instruction, the explanation, and the numbers of the frames of a sequence."""
        numbers = str(case.details.get("source_numbers") or "")
        return {**super().words(case, unit), "explanation": _explanation(case), "source_numbers": numbers}

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> Shown:
        """Inputs and edit, and the ground truth that the instruction call of a changed viewpoint sees."""
        return Shown(
            source=lambda: pictures_of(case.images, self.side),
            edit=lambda: (pixels_picture(edits[unit.variants[0]], self.side),),
            answer=lambda: () if case.answer is None else pictures_of((case.answer,), self.side),
        )


def _category(case: Case) -> str:
    """The KRIS-Bench category of a case; "" for a case of another suite."""
    category = case.tags.get("category", "")
    return category if category in KNOWLEDGE | OTHERS else ""


def _explanation(case: Case) -> str:
    return str(case.details.get("explanation") or case.hint or "")
