"""Failure modes of an edit, from its three curves over the color tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FAILURE_MODES = (
    "success",
    "color_imprecision",
    "execution_omission",
    "structural_catastrophe",
    "structural_imprecision",
)


@dataclass(frozen=True, slots=True)
class FailureThresholds:
    """Every number that the diagnosis uses, as fractions 0..1."""

    success: float = 0.9
    """Mean of the IoU curve from which an edit counts as done."""
    near_zero: float = 0.2
    """An accuracy at tolerance 10 up to which nothing of a region is right."""
    kept: float = 0.95
    """A preservation accuracy at tolerance 10 from which the rest of the picture is still the input's."""
    mended: float = 0.7
    """The part of the errors at tolerance 0 that must be gone at 10 for color to be what was wrong."""


THRESHOLDS = FailureThresholds()


def failure_mode(
    edit_accuracy: Sequence[float],
    preservation_accuracy: Sequence[float],
    iou: Sequence[float],
    *,
    unchanged: bool = False,
    thresholds: FailureThresholds = THRESHOLDS,
) -> str:
    """The failure mode of one edit, from its curves at tolerances 0 … 10. The first rule that holds decides.

    0. execution omission: the output equals the input (``unchanged``) and there was something to edit. The
       curves of a faint edit would hide it.
    1. success: the mean of the IoU curve is high.
    2. execution omission: nothing of the edit is there at any tolerance, and the rest was kept.
    3. structural catastrophe: nothing is right in either region at any tolerance.
    4. color imprecision: tolerance alone mends most of what is wrong. ``mended`` compares, over both regions
       alike, the rise of the accuracies from tolerance 0 to 10 with what was missing at 0.
    5. structural imprecision: the rest. Accuracies stay on a plateau because things are in the wrong place.

    >>> failure_mode([0.0] * 11, [1.0] * 11, [0.0] * 11)
    'execution_omission'
    >>> failure_mode([0.0] * 3 + [0.99] * 8, [0.0] * 3 + [0.99] * 8, [0.0] * 3 + [0.98] * 8)
    'color_imprecision'
    >>> failure_mode([0.5] * 11, [0.99] * 11, [0.4] * 11)
    'structural_imprecision'
    >>> failure_mode([0.01] * 11, [0.02] * 11, [0.0] * 11)
    'structural_catastrophe'
    """
    if unchanged and iou[0] < 1:
        return "execution_omission"
    if sum(iou) / len(iou) >= thresholds.success:
        return "success"
    edited, kept = edit_accuracy[-1], preservation_accuracy[-1]
    if edited <= thresholds.near_zero and kept >= thresholds.kept:
        return "execution_omission"
    if edited <= thresholds.near_zero and kept <= thresholds.near_zero:
        return "structural_catastrophe"
    wrong = (1 - edit_accuracy[0]) + (1 - preservation_accuracy[0])
    rise = (edited - edit_accuracy[0]) + (kept - preservation_accuracy[0])
    return "color_imprecision" if rise >= thresholds.mended * wrong else "structural_imprecision"
