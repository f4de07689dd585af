"""Over-editing and mIoU by the size of the edit region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from editscope.stats.bootstrap import draws
from editscope.stats.diagnosis.averages import RESAMPLES, Interval, interval
from editscope.stats.diagnosis.columns import curves, has_output, numbers, taking_part
from editscope.stats.hierarchy import Floats
from editscope.stats.small_groups import CaseSpread, enough

if TYPE_CHECKING:
    from editscope.stats.frame import Rows

UNITS = 2.0**40
"""Into how many parts a value of 1 is divided before it is added up."""
EDGES = (32**2, 64**2, 128**2, 256**2)
"""Pixels of the edit region; on a canvas of 1024 × 1024 they are 0.1, 0.4, 1.6 and 6.3 %."""
LABELS = ("< 32²", "32²–64²", "64²–128²", "128²–256²", "≥ 256²")
CHANGED_AT = 5
"""The tolerance at which a pixel counts as changed: the middle of 0 … 10."""


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Cases whose edit region has ``low`` ≤ |E| < ``high`` pixels.

    ``over_edit`` holds the **median** of changed pixels per pixel to be changed in its field ``mean``; ``miou`` a
    mean in percent. Both are None where no case has the value.
    """

    label: str
    low: float
    high: float
    n: int
    over_edit: Interval | None
    miou: Interval | None


def by_region_size(
    rows: Rows, *, exclude: Mapping[str, str] | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[SizeBin, ...]:
    """Median over-editing ratio and mean mIoU of the cases in each of five sizes of the edit region.

    The ratio is changed_pixels@5 / |E|: 1 is right, 0 is nothing. A missing output has no ratio and counts as
    mIoU 0; cases without a pixel to change, and the diagnostic ones (``exclude``), are in no bin. Intervals are
    percentile bootstraps over the cases of the bin; a bin of fewer than five has none.

    >>> rows = {
    ...     "case_id": ["1", "2", "3", "4"],
    ...     "status": ["ok", "ok", "ok", "no_output"],
    ...     "edit_pixels": [1000, 1000, 500, 100_000],
    ...     "changed_pixels": [[0] * 11, [3000] * 11, [500] * 11, [0] * 11],
    ...     "miou": [0.0, 0.25, 1.0, 0.0],
    ... }
    >>> small, *_, large = by_region_size(rows)
    >>> small.n, small.over_edit.mean, round(small.miou.mean, 2)
    (3, 1.0, 41.67)
    >>> large.n, large.over_edit, large.miou
    (1, None, Interval(mean=0.0, lo=None, hi=None))
    """
    edit = numbers(rows, "edit_pixels")
    ratio = curves(rows, "changed_pixels")[:, CHANGED_AT] / np.where(edit > 0, edit, np.nan)
    ratio[~has_output(rows)] = np.nan
    place = np.searchsorted(EDGES, edit, side="right")
    place[~taking_part(rows, exclude) | ~(edit > 0)] = -1
    bounds = (0, *EDGES, inf)
    miou = numbers(rows, "miou")
    bins = []
    for k, label in enumerate(LABELS):
        here = place == k
        mean = _mean(miou[here], f"region {label}", resamples, seed)
        bins.append(SizeBin(label, bounds[k], bounds[k + 1], int(here.sum()), _median(ratio[here]), mean))
    return tuple(bins)


def median_interval(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """The percentile bootstrap interval of a median, as infinitely many resamples would give it.

    The r-th smallest of n values drawn with replacement is at most the j-th smallest of the n there are with
    probability P(Binomial(n, j/n) ≥ r), so nothing has to be drawn. For an even number of values the ends are
    those of both middle ones, averaged.

    >>> median_interval(np.arange(1.0, 100.0))
    (40.0, 60.0)
    >>> median_interval(np.array([7.0]))
    (7.0, 7.0)
    """
    ordered = np.sort(values)
    n = len(ordered)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, n + 1)))])
    ways = logs[n] - logs - logs[::-1]  # log of n choose i

    def position(rank: int, probability: float) -> int:
        """The least j that the value of this rank is at most with this probability."""
        low, high = 1, n
        i = np.arange(rank, n + 1)
        while low < high:
            j = (low + high) // 2
            at_most = float(np.exp(ways[rank:] + i * np.log(j / n) + (n - i) * np.log1p(-j / n)).sum())
            low, high = (low, j) if at_most >= probability else (j + 1, high)
        return low

    middle = ((n + 1) // 2, n // 2 + 1)
    ends = [[ordered[position(rank, p) - 1] for rank in middle] for p in ((1 - level) / 2, (1 + level) / 2)]
    return float(sum(ends[0]) / 2), float(sum(ends[1]) / 2)


def _median(values: Floats) -> Interval | None:
    known = values[~np.isnan(values)]
    if not known.size:
        return None
    if not enough(len(known)):
        return Interval(float(np.median(known)), None, None)
    return Interval(float(np.median(known)), *median_interval(known))


def _mean(values: Floats, name: str, resamples: int, seed: int) -> Interval | None:
    """The mean in percent with its interval, from draws of its own."""
    # Values in order, so that the interval does not depend on the order of rows; whole numbers, so that no order
    # of adding changes a sum.
    known = np.rint(np.sort(values[~np.isnan(values)]) * UNITS).astype(np.int64)
    n = len(known)
    if not n:
        return None
    sums = [known[block.view(np.int64)].sum(axis=1) for block in draws(seed, name, n, resamples)]
    return interval(
        float(known.sum() / (UNITS * n)),
        np.concatenate(sums) / (UNITS * n),
        100.0,
        CaseSpread(n, differ=bool(np.ptp(known))),
    )
