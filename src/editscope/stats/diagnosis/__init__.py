"""Diagnosis: what a run's rows say about how a model fails, where, and on what.

Pure functions on the columns that ``run.rows()`` gives. Numbers are percentages, as in summaries; failure shares
are fractions, and over-editing is a ratio.
"""

from __future__ import annotations

from editscope.stats.diagnosis.averages import Interval
from editscope.stats.diagnosis.conditions import Delta, Gap, PaletteGap, deltas, palette_gap
from editscope.stats.diagnosis.curves import MeanCurves, mean_curves
from editscope.stats.diagnosis.failures import MODES, Shares, failure_shares
from editscope.stats.diagnosis.fidelity import Fidelity, Sizes, fidelity
from editscope.stats.diagnosis.offsets import ErrorRow, MedianError, error_rows, median_error
from editscope.stats.diagnosis.outliers import (
    CaseDifference,
    CaseValue,
    Speciality,
    extremes,
    largest_differences,
    specialties,
)
from editscope.stats.diagnosis.sizes import EDGES, LABELS, SizeBin, by_region_size

__all__ = [
    "EDGES",
    "LABELS",
    "MODES",
    "CaseDifference",
    "CaseValue",
    "Delta",
    "ErrorRow",
    "Fidelity",
    "Gap",
    "Interval",
    "MeanCurves",
    "MedianError",
    "PaletteGap",
    "Shares",
    "SizeBin",
    "Sizes",
    "Speciality",
    "by_region_size",
    "deltas",
    "error_rows",
    "extremes",
    "failure_shares",
    "fidelity",
    "largest_differences",
    "mean_curves",
    "median_error",
    "palette_gap",
    "specialties",
]
