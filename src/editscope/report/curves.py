"""Tolerance curves: accuracy over ΔE 0 … 10 for one case, and averaged as the suite averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from editscope.cases import Aggregation
from editscope.report.source import ReportCase
from editscope.scoring import TOLERANCES, PixelScore
from editscope.stats import summarize

CURVES = ("iou", "edit_accuracy", "preservation_accuracy")
TITLES = ("IoU", "Edit accuracy", "Preservation accuracy")

Curve: TypeAlias = "tuple[float, ...]"


def case_curves(evidence: Mapping[str, Any]) -> tuple[Curve, Curve, Curve] | None:
    """IoU, edit and preservation accuracy of one case at ΔE 0 … 10, from its counts; None without counts.

    >>> from editscope.scoring import PixelScore
    >>> eleven = lambda n: (n,) * 11
    >>> score = PixelScore(4, 8, hits=eleven(2), spilled=eleven(4), changed_pixels=eleven(6), output_size=(4, 3))
    >>> [curve[5] for curve in case_curves(score.to_json())]
    [0.25, 0.5, 0.5]
    """
    if "hits" not in evidence:
        return None
    score = PixelScore.from_json(evidence)
    return score.iou, score.edit_accuracy, score.preservation_accuracy


def mean_curves(
    records: Sequence[ReportCase], aggregation: Aggregation
) -> dict[tuple[str, str], tuple[Curve, Curve, Curve]]:
    """Curves in percent of every row of every table, keyed by group and key; ``("", "")`` is the whole suite.

    They are averaged like every other figure, so the mean of the IoU curve is the mIoU of the tables.
    """
    kept = [(record, curves) for record in records if (curves := case_curves(record.evidence))]
    if not kept:
        return {}
    tags = dict.fromkeys(tag for record, _ in kept for tag in record.tags)
    rows: dict[str, list[Any]] = {tag: [record.tags.get(tag) for record, _ in kept] for tag in tags}
    names = [[f"{curve} at {t}" for t in TOLERANCES] for curve in CURVES]
    for i, points in enumerate(names):
        rows |= {name: [curves[i][t] for _, curves in kept] for t, name in enumerate(points)}
    means = summarize(rows, aggregation, [name for points in names for name in points], resamples=0)
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for name, cell in means["overall"].items():
        cells.setdefault(("", ""), {})[name] = cell["mean"]
    for row in means["groups"]:
        cells.setdefault((row["by"], row["key"]), {})[row["metric"]] = row["mean"]
    drawn = {}
    for at, found in cells.items():
        if None not in found.values():  # diagnostics alone have no overall
            iou, edit, kept_ = (tuple(found[name] for name in points) for points in names)
            drawn[at] = (iou, edit, kept_)
    return drawn
