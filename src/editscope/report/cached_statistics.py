"""Figures of the diagnosis that several sections show, each computed once for a run."""

from __future__ import annotations

from editscope.report.model import RunView, Sheet
from editscope.stats.diagnosis import (
    Delta,
    Fidelity,
    PaletteGap,
    SizeBin,
    by_region_size,
    deltas,
    fidelity,
    palette_gap,
)

MANY = 4
"""From more runs on, intervals of the page have fewer resamples: each figure stands among many."""


def resamples(sheet: Sheet) -> int:
    """Resamples of the intervals that are made for the page; those of the tables have 10,000."""
    return 2_000 if len(sheet.runs) <= MANY else 1_000


def paired_resamples(sheet: Sheet) -> int:
    """Resamples of comparisons, which the page states."""
    return 10_000 if len(sheet.runs) <= MANY else 1_000


def condition_deltas(sheet: Sheet, view: RunView) -> tuple[Delta, ...]:
    """What each condition of the scene does to the headline metric."""
    n = resamples(sheet)
    return view.once("deltas", lambda: deltas(view.rows, sheet.aggregation, sheet.headline, resamples=n))


def region_sizes(sheet: Sheet, view: RunView) -> tuple[SizeBin, ...]:
    """Over-editing and mIoU by the size of the edit."""
    n, exclude = min(resamples(sheet), 1_000) // 2, sheet.aggregation.exclude
    return view.once("sizes", lambda: by_region_size(view.rows, exclude=exclude, resamples=n))


def palettes(sheet: Sheet, view: RunView) -> PaletteGap | None:
    """Exact-match accuracies under both palettes."""
    n = resamples(sheet)
    return view.once("palettes", lambda: palette_gap(view.rows, sheet.aggregation, resamples=n))


def kept(sheet: Sheet, view: RunView) -> Fidelity | None:
    """How faithful a run is to what should stay."""
    return view.once("fidelity", lambda: fidelity(view.rows, exclude=sheet.aggregation.exclude))
