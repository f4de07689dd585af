"""Tolerance curves of one case: accuracies over ΔE 0 … 10."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from editscope.scoring import PixelScore

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
