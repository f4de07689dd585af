"""The three tolerance curves of a model, averaged as the suite averages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from editscope.stats.diagnosis.averages import group_for, plain_means
from editscope.stats.diagnosis.columns import TOLERANCES, curves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from editscope.cases import Aggregation
    from editscope.stats.frame import Rows


@dataclass(frozen=True, slots=True)
class MeanCurves:
    """Mean curves over ΔE 0 … 10 in percent, of ``n`` cases with the tags ``key``."""

    key: tuple[str, ...]
    n: int
    iou: tuple[float, ...]
    edit_accuracy: tuple[float, ...]
    preservation_accuracy: tuple[float, ...]


def mean_curves(rows: Rows, aggregation: Aggregation, by: Sequence[str] = ()) -> tuple[MeanCurves, ...]:
    """IoU, edit accuracy and preservation accuracy at each tolerance, for every value of the tags ``by``.

    Averages are the suite's own: without ``by`` the mean of the IoU curve is the benchmark's mIoU. A missing
    output counts as 0 everywhere, as in the tables.

    >>> from editscope.cases import Group, Aggregation
    >>> plan = Aggregation(Group("overall", (), ("task",)), (), ("task",))
    >>> rows = {"case_id": ["1", "2", "3"], "task": ["border", "border", "removal"]}
    >>> rows |= {"iou_curve": [[0.0] * 11, [1.0] * 11, [1.0] * 11]}
    >>> rows |= {f"{name}_accuracy_curve": [[1.0] * 11] * 3 for name in ("edit", "preservation")}
    >>> mean_curves(rows, plan)[0].iou[:2]  # the mean of two task means
    (75.0, 75.0)
    """
    names = ("iou_curve", "edit_accuracy_curve", "preservation_accuracy_curve")
    values = np.concatenate([curves(rows, name) for name in names], axis=1)
    keys, numbers, means = plain_means(rows, aggregation, group_for(aggregation, tuple(by)), values)
    averaged = []
    for key, n, mean in zip(keys, numbers, means, strict=True):
        three = [_percent(mean[k * TOLERANCES : (k + 1) * TOLERANCES].tolist()) for k in range(3)]
        averaged.append(MeanCurves(key, n, *three))
    return tuple(averaged)


def _percent(curve: list[float]) -> tuple[float, ...]:
    return tuple(round(100 * value, 9) for value in curve)
