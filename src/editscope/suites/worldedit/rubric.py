"""WorldEdit-Test: consistency, quality, instruction following and knowledge plausibility, 1 to 5 each."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.cases import Case
from editscope.scoring.rubrics.base import Measure, Unit
from editscope.scoring.rubrics.combining import Combined
from editscope.scoring.rubrics.scales import Ask, ScaleRubric

METRICS = {
    "vc": "Visual consistency",
    "vq": "Visual quality",
    "if": "Instruction following",
    "kp": "Knowledge plausibility",
}
GATE = 2
"""The gate closes where instruction following is at most this."""


class WorldEditRubric(ScaleRubric):
    """Four calls; a case's average is the mean of its four scores, on the scale of 1 to 5.

    Options: ``kp_gate=enforced`` sets KP to 1 wherever IF is at most 2; ``watermark=ignore`` tells the judge of
    consistency to overlook watermarks; ``side`` is the longer side of pictures, at most.
    """

    name = "worldedit"
    headline = "average"
    fold = ("case_id",)
    default_side = 1024
    measures = (
        *(Measure(name, (name,), label, worst=1.0, best=5.0, scale=1.0) for name, label in METRICS.items()),
        Measure("average", tuple(METRICS), "Average", worst=1.0, best=5.0, scale=1.0, note="of a case's four scores"),
    )

    def configure(self) -> None:
        """Read the options."""
        super().configure()
        self.gated = self.choice("kp_gate", "asked") == "enforced"
        self.ignores_watermark = self.choice("watermark", "counted") == "ignore"

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """All four."""
        consistency = "vc_ignore_watermark" if self.ignores_watermark else "vc"
        return tuple(Ask.score(metric, consistency if metric == "vc" else metric) for metric in METRICS)

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The instruction, and the mode where the case has one."""
        return {**super().words(case, unit), "mode": case.tags.get("mode", "")}

    def adjusted(self, case: Case, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """With the gate enforced, KP is 1 where the instruction was not followed, whatever was said about it."""
        followed, plausible = found["if"].value, found["kp"]
        if not self.gated or followed is None or followed > GATE:
            return found
        return {**found, "kp": plausible.with_value(1.0)}
