"""KRIS-Bench: consistency, instruction, quality and, where a category needs it, knowledge, 1 to 5 each."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.cases import Case
from editscope.images import Pixels
from editscope.judges import Picture
from editscope.scoring.rubrics.base import Measure, Unit
from editscope.scoring.rubrics.pictures import UNCHANGED, LazyPictures, PictureFormat, pictures_of, pixels_picture
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
SEQUENCE = "temporal_prediction"
FRAME_QUALITY = 85
"""The category that sees frames in order, and the JPEG quality at which they are sent."""


class KrisRubric(ScaleRubric):
    """Three calls, shown as (s - 1) * 25; every average is over cases, and a case is the mean of its metrics.

    Pictures go to the judge unchanged; those of temporal prediction as JPEG of quality 85, in the order of the frames,
    the predicted one at its place and marked. On cases of other suites: several inputs take the prompts of
    compositions, and an explanation or a hint takes the call that asks for instruction and knowledge together.
    """

    name = "kris"
    headline = "average"
    fold = ("case_id",)
    default_side = 0
    default_quality = UNCHANGED
    temperature = None
    measures = (
        *(Measure(name, (name,), label, 1.0, 5.0, 1.0, 25.0) for name, label in METRICS.items()),
        Measure("average", tuple(METRICS), "Average", 1.0, 5.0, 1.0, 25.0, note="of a case's metrics"),
    )

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """Consistency, instruction (with knowledge in the same call, where it applies) and quality."""
        category = _category(case)
        several = {SEQUENCE: "_temporal", "multi-element_composition": "_multi"}.get(category, "")
        if not category and len(case.images) > 1:
            several = "_multi"
        alone = {"viewpoint_change": "_viewpoint", "anomaly_correction": "_anomaly"}.get(category, several)
        knows = category in KNOWLEDGE or (not category and bool(_explanation(case)) and not several)
        instruction = (
            Ask("knowledge", "knowledge", {"instruction": "if", "knowledge": "kp"})
            if knows
            else Ask("instruction", f"instruction{alone}", {"score": "if"})
        )
        return (
            Ask("consistency", f"consistency{several}", {"score": "vc"}),
            instruction,
            Ask("quality", "quality", {"score": "vq"}),
        )

    def form(self, case: Case) -> PictureFormat:
        """Unchanged, or as JPEG for the frames of a sequence."""
        if _category(case) == SEQUENCE and self.quality == UNCHANGED:
            return PictureFormat(self.side, FRAME_QUALITY)
        return super().form(case)

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The instruction, the explanation, the number of a predicted frame, and what each frame is called."""
        frames = _frames(case) if _category(case) == SEQUENCE else []
        called = [f"Frame {number} ({'known' if place is not None else 'generated'})" for number, place in frames]
        return {
            **super().words(case, unit),
            "explanation": _explanation(case),
            "frame": next((str(number) for number, place in frames if place is None), ""),
            "frames_numbers": ",".join(called),
        }

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """Inputs and edit, the ground truth that the instruction call of a changed viewpoint sees, and all frames."""
        form = self.form(case)

        def frames() -> tuple[Picture, ...]:
            known, edit = pictures_of(case.images, form), pixels_picture(edits[unit.variants[0]], form)
            return tuple(edit if place is None else known[place] for _, place in _frames(case))

        return LazyPictures(
            source=lambda: pictures_of(case.images, form),
            edit=lambda: (pixels_picture(edits[unit.variants[0]], form),),
            answer=lambda: () if case.answer is None else pictures_of((case.answer,), form),
            frames=frames,
        )


def _frames(case: Case) -> list[tuple[int, int | None]]:
    """The frames of a sequence in order: the number of each, and which source it is; None for the predicted one.

    Without numbers the sources are counted from 1, and the predicted frame comes after them.
    """
    numbers = str(case.details.get("source_numbers") or "").split(",")
    known = [int(number) for number in numbers if number.isdecimal()]
    if len(known) != len(case.images):
        known = list(range(1, len(case.images) + 1))
    named = str(case.details.get("frame") or "")
    frame = int(named) if named.isdecimal() else max(known, default=0) + 1
    frames: list[tuple[int, int | None]] = [(number, place) for place, number in enumerate(known)]
    return sorted([*frames, (frame, None)], key=lambda one: (one[0], one[1] is None))


def _category(case: Case) -> str:
    """The KRIS-Bench category of a case; "" for a case of another suite."""
    category = case.tags.get("category", "")
    return category if category in KNOWLEDGE | OTHERS else ""


def _explanation(case: Case) -> str:
    return str(case.details.get("explanation") or case.hint or "")
