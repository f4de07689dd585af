"""InEdit-Bench: pathways judged by four to five metrics from 1 to 5, and pairs of pathways by one."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.cases import Case
from editscope.images import Pixels, load
from editscope.scoring.rubrics.base import Measure, PixelCheck, Unit, instruction_of
from editscope.scoring.rubrics.combining import Combined
from editscope.scoring.rubrics.pictures import LazyPictures, pictures_of, pixels_picture
from editscope.scoring.rubrics.scales import Ask, ScaleRubric, unanswered
from editscope.suites.inedit.joining import join
from editscope.suites.inedit.panels import panel_checks

METRICS = {
    "ac": "Appearance consistency",
    "pq": "Perceptual quality",
    "sc": "Semantic consistency",
    "lc": "Logical coherence",
    "sp": "Scientific plausibility",
    "pp": "Process plausibility",
}
PATHS = ("A", "B")
UNCHECKED = ("state_transition", "temporal_sequence")
"""The categories that are not judged for scientific plausibility, whatever else a case has."""
FULL = 5.0


class InEditRubric(ScaleRubric):
    """Shown as (s - 1)/4 * 100; a category is the mean of its metric means, the whole that of all six.

    Both edits of a path pair are judged together, in one call, with both instructions.
    """

    name = "inedit"
    headline = "overall"
    fold = ("metric",)
    default_side = 0
    default_quality = 75
    detail = "high"
    measures = (
        *(Measure(name, (name,), label, 1.0, 5.0, 1.0, 25.0) for name, label in METRICS.items()),
        Measure("overall", tuple(METRICS), "Overall", 1.0, 5.0, 1.0, 25.0, note="of metric means"),
        Measure(
            "overall_without_sp",
            tuple(name for name in METRICS if name != "sp"),
            "Overall without SP",
            1.0,
            5.0,
            1.0,
            25.0,
            note="of metric means without scientific plausibility",
        ),
        Measure("accuracy", ("accuracy",), "Accuracy", note="share of cases with 5 on every metric that applies"),
    )

    checks = (
        PixelCheck("panels", "Panels", "no division into panels", least=2),
        PixelCheck("alike_neighbors", "Near-equal neighbors", "a panel near-equal to the one before it", most=0),
        PixelCheck("end_copies", "Copies of the end", "the end picture copied before the last panel", most=0),
    )

    def units(self, case: Case) -> tuple[Unit, ...]:
        """One for both edits of a path pair, otherwise one for each variant."""
        variants = tuple(instruction.variant for instruction in case.instructions)
        return (Unit(case.id, PATHS),) if variants == PATHS else super().units(case)

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """PP for a path pair; for all others AC, PQ, SC and LC, and SP where there is a checklist."""
        if unit.variants == PATHS:
            return (Ask.score("pp", "pp"),)
        checked = case.checklist and case.tags.get("category") not in UNCHECKED
        return tuple(Ask.score(metric, metric) for metric in ("ac", "pq", "sc", "lc", *(["sp"] if checked else [])))

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The instruction, or both of a path pair, and the checklist."""
        if unit.variants == PATHS:
            first, second = (instruction_of(case, path).text for path in PATHS)
            return {"instruction_a": first, "instruction_b": second}
        return {**super().words(case, unit), "checklist": case.checklist or ""}

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """The picture of start and end, and the edit or both edits."""
        if unit.variants != PATHS:
            return super().shown(case, unit, edits)
        form = self.form(case)
        return LazyPictures(
            source=lambda: pictures_of(case.images, form),
            edit_a=lambda: (pixels_picture(edits["A"], form),),
            edit_b=lambda: (pixels_picture(edits["B"], form),),
        )

    def from_pixels(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> dict[str, float | None]:
        """The checks that need no judge; of a path pair each edit has its own."""
        joined = join(case.images[0], case.images[1]) if len(case.images) > 1 else load(case.images[0])
        several = len(unit.variants) > 1
        return {
            f"{name}@{variant}" if several else name: value
            for variant in unit.variants
            for name, value in panel_checks(joined, edits[variant]).items()
        }

    def derived(self, case: Case, unit: Unit, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """Accuracy: 1 for 5 on every metric that applies. A missing verdict is not a full mark, and its status stays
        where it alone stands between the case and a full one."""
        if unit.variants == PATHS:
            return {}
        if all(one.value == FULL for one in found.values()):
            return {"accuracy": Combined(1.0)}
        short = any(one.status == "ok" and one.value != FULL for one in found.values())
        return {"accuracy": Combined(0.0, "ok" if short else unanswered(found) or "ok")}
