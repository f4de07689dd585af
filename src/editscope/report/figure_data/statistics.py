"""Statistics of a run that several sections and figures show, each computed once.

Without ``resamples`` an interval has as many as suit the page.
"""

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
PAPER = 1_000
"""Resamples of the intervals in figures for a paper."""


def resamples_for_page(sheet: Sheet) -> int:
    """Resamples of the intervals that are made for the page; those of the tables have 10,000."""
    return 2_000 if len(sheet.runs) <= MANY else 1_000


def paired_resamples(sheet: Sheet) -> int:
    """Resamples of comparisons, which the page states."""
    return 10_000 if len(sheet.runs) <= MANY else 1_000


def condition_deltas(sheet: Sheet, view: RunView, resamples: int | None = None) -> tuple[Delta, ...]:
    """What each condition of the scene does to the headline metric; the baseline comes first."""
    n = resamples or resamples_for_page(sheet)
    return view.once(f"deltas {n}", lambda: deltas(view.rows, sheet.aggregation, sheet.headline, resamples=n))


def region_sizes(sheet: Sheet, view: RunView, resamples: int | None = None) -> tuple[SizeBin, ...]:
    """Over-editing and mIoU by the size of the edit."""
    n, exclude = resamples or min(resamples_for_page(sheet), 1_000) // 2, sheet.aggregation.exclude
    return view.once(f"sizes {n}", lambda: by_region_size(view.rows, exclude=exclude, resamples=n))


def palettes(sheet: Sheet, view: RunView, resamples: int | None = None) -> PaletteGap | None:
    """Exact-match accuracies under both palettes."""
    n = resamples or resamples_for_page(sheet)
    return view.once(f"palettes {n}", lambda: palette_gap(view.rows, sheet.aggregation, resamples=n))


def preservation(sheet: Sheet, view: RunView) -> Fidelity | None:
    """How faithful a run is to what should stay."""
    return view.once("fidelity", lambda: fidelity(view.rows, exclude=sheet.aggregation.exclude))
