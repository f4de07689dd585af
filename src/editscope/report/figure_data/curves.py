"""Curves of accuracy over the color tolerance, run by run."""

from __future__ import annotations

from dataclasses import dataclass

from editscope.report.model import RunView, Sheet
from editscope.stats.diagnosis import MeanCurves, mean_curves

CURVES = (("iou", "IoU"), ("edit_accuracy", "Edit accuracy"), ("preservation_accuracy", "Preservation accuracy"))
"""The three curves: the field of ``MeanCurves``, and what it shows."""


@dataclass(frozen=True, eq=False)
class CurvesOfCases:
    """The curves of some cases: ``key`` is what these have in common, () for all; only runs that have such cases."""

    key: tuple[str, ...]
    runs: tuple[tuple[RunView, MeanCurves], ...]


def tolerance_curves(sheet: Sheet, by: tuple[str, ...] = ()) -> list[CurvesOfCases]:
    """The curves of all cases, or of those that share each value of the tags ``by``."""
    members: dict[tuple[str, ...], list[tuple[RunView, MeanCurves]]] = {}
    for view in sheet.runs:
        for curves in mean_curves(view.rows, sheet.aggregation, by) if "iou_curve" in view.rows else ():
            members.setdefault(curves.key, []).append((view, curves))
    return [CurvesOfCases(key, tuple(runs)) for key, runs in members.items()]
