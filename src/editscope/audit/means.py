"""Means over problems with 95 % intervals; problems are resampled whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from editscope.stats.bootstrap import Floats, draws, percentile_interval
from editscope.stats.small_groups import wilson

RESAMPLES = 2_000
MANY = 10
"""Problems from which on resampling alone shows how far a share may be from the true one."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over what ``n`` problems gave, with its 95 % interval; None where there is nothing to average."""

    value: float | None
    lo: float | None
    hi: float | None
    n: int

    def above(self, line: float) -> bool:
        """Whether the whole interval lies above a line."""
        return self.lo is not None and self.lo > line

    def below(self, line: float) -> bool:
        """Whether the whole interval lies below a line."""
        return self.hi is not None and self.hi < line


NOTHING_FOUND = Mean(None, None, None, 0)


def mean_over_problems(found: Sequence[tuple[int, float]], problems: int, *, share: bool = True) -> Mean:
    """The mean of values that belong to problems, which are resampled whole.

    Resamples of a handful of problems are much alike, and of two that agree all the same. So the interval of a share
    is there the wider one of what resampling shows and of what Wilson's says of so many problems.

    >>> mean_over_problems([(0, 1.0), (0, 0.0), (1, 1.0), (1, 0.0)], 2)
    Mean(value=0.5, lo=0.094529, hi=0.905471, n=2)
    """
    if not found:
        return NOTHING_FOUND
    sums, counts = np.zeros(problems), np.zeros(problems)
    for problem, value in found:
        sums[problem] += value
        counts[problem] += 1
    here = counts > 0
    sums, counts = sums[here], counts[here]
    value = float(sums.sum() / counts.sum())
    sampled = [
        sums[block.astype(np.intp)].sum(axis=1) / counts[block.astype(np.intp)].sum(axis=1)
        for block in draws(0, "problems", len(sums), RESAMPLES)
    ]
    lo, hi = interval_of(np.concatenate(sampled), len(sums))
    if share and value in (0.0, 1.0) and lo is not None:
        # Nothing went otherwise, so resampling shows no spread: the exact bound of a binomial share does.
        reach = 1 - 0.025 ** (1 / len(sums))
        lo, hi = (round(1 - reach, 6), 1.0) if value == 1.0 else (0.0, round(reach, 6))
    elif share and lo is not None and hi is not None and len(sums) < MANY:
        low, high = wilson(value, len(sums))
        lo, hi = min(lo, round(low, 6)), max(hi, round(high, 6))
    return Mean(round(value, 6), lo, hi, len(sums))


def interval_of(sampled: Floats, problems: int) -> tuple[float | None, float | None]:
    """The 95 % percentile interval of resamples; none of a single problem."""
    if problems < 2 or not len(sampled):
        return None, None
    low, high = percentile_interval(sampled[None, :])
    return round(float(low[0]), 6), round(float(high[0]), 6)
