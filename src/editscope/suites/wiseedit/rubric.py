"""WiseEdit: five metrics from 1 to 10, which of them apply depending on the task, in two languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from editscope.cases import Aggregation, Case
from editscope.images import Pixels
from editscope.scoring.rubrics.base import Measure, Unit, instruction_of
from editscope.scoring.rubrics.pictures import LazyPictures, pictures_of, pixels_picture
from editscope.scoring.rubrics.scales import Ask, ScaleRubric

METRICS = {
    "if": "Instruction following",
    "dp": "Detail preserving",
    "vq": "Visual quality",
    "kf": "Knowledge fidelity",
    "cf": "Creative fusion",
}
CREATIVE, COMPLEX = "imagination", "complex"
"""The task that is judged for creative fusion instead of knowledge, and the one that is judged for both."""
SCALE = 100 / 9


class WiseEditRubric(ScaleRubric):
    """Four calls, five for WiseEdit-Complex; shown as (s - 1)/9 * 100.

    A task's average is the mean of its metric means. The judge reads the English instruction for both languages.

    Option ``unsupported``: what a case counts that has more pictures than the editor takes. ``zero``, as the paper
    has it, is the worst score on every metric, and no row at all for WiseEdit-Complex; ``skip`` leaves it out.
    """

    name = "wiseedit"
    headline = "average"
    fold = ("metric",)
    default_side = 512
    temperature = None
    measures = (
        *(Measure(name, (name,), label, 1.0, 10.0, 1.0, SCALE) for name, label in METRICS.items()),
        Measure("average", tuple(METRICS), "Average", 1.0, 10.0, 1.0, SCALE, note="of metric means"),
    )

    def configure(self) -> None:
        """Read the options."""
        super().configure()
        self.unsupported = self.choice("unsupported", "zero")

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """IF, DP and VQ; CF for imagination, both KF and CF for complex cases, and KF for all others."""
        task = case.tags.get("task", "")
        last = {CREATIVE: ("cf",), COMPLEX: ("kf", "cf")}.get(task, ("kf",))
        kind = "multi" if len(case.images) > 1 else "single"
        return tuple(
            Ask.score(metric, "vq" if metric == "vq" else f"{metric}_{kind}") for metric in ("if", "dp", "vq", *last)
        )

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The English instruction, whatever the editor read, and the hint."""
        own = instruction_of(case, unit.variants[0])
        english = [i.text for i in case.instructions if i.language == "en" and i.level == own.level]
        text = own.text if own.language == "en" else (case.details.get("english") or (*english, own.text)[0])
        return {"instruction": text, "hint": case.hint or ""}

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """Inputs, edit, and the reference pictures that IF and KF see."""
        form = self.form(case)
        return LazyPictures(
            source=lambda: pictures_of(case.images, form),
            edit=lambda: (pixels_picture(edits[unit.variants[0]], form),),
            references=lambda: pictures_of(case.references, form),
        )

    def aggregation(self, suite: Aggregation) -> Aggregation:
        """As everywhere, and the overall mean is over the two languages' means."""
        base = super().aggregation(suite)
        overall = replace(base.overall, over=(*base.overall.over, "language"))
        return replace(base, overall=overall)
