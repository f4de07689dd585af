"""Metrics at one color tolerance, such as ``edit_accuracy@5``, from the counts that every run of pixels has stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from editscope.results.pixel_rows import CURVES
from editscope.scoring import TOLERANCES

NAMES = tuple(curve.removesuffix("_curve") for curve in CURVES)
_FORM = re.compile(rf"({'|'.join(NAMES)})@(\d+)")


def curve_at(metric: str) -> tuple[str, int] | None:
    """The column and the place of a metric at a tolerance; None for any other metric.

    >>> curve_at("edit_accuracy@5"), curve_at("edit_accuracy"), curve_at("iou@11")
    (('edit_accuracy_curve', 5), None, None)
    """
    match = _FORM.fullmatch(metric)
    if match is None or int(match[2]) not in TOLERANCES:
        return None
    return f"{match[1]}_curve", TOLERANCES.index(int(match[2]))


def with_tolerance_metric(columns: Mapping[str, Sequence[Any]], metric: str) -> dict[str, Any]:
    """The columns of a run, and one for a metric at a tolerance where they have its curve.

    >>> rows = {"case_id": ["a"], "iou_curve": [[0.0, 0.25, 0.5]]}
    >>> with_tolerance_metric(rows, "iou@2")["iou@2"]
    [0.5]
    """
    place = curve_at(metric)
    if metric in columns or place is None or place[0] not in columns:
        return dict(columns)
    curve, tolerance = place
    values = [None if one is None else float(one[tolerance]) for one in columns[curve]]
    return {**columns, metric: values}
