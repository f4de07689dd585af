"""Rank correlations of paired numbers, with NumPy alone: Kendall's tau-b and Spearman's rho."""

from __future__ import annotations

import numpy as np

from editscope.stats.bootstrap import Floats


def kendall_tau_b(x: Floats, y: Floats) -> float | None:
    """The cosine between the signs of all differences of x and those of all differences of y.

    0 where all y are equal; None where all x are.

    >>> kendall_tau_b(np.array([1.0, 0.5, 0.0]), np.array([5.0, 2.0, 1.0]))
    1.0
    """
    i, j = np.triu_indices(len(x), 1)
    a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
    if not a.any():
        return None
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size else 0.0


def spearman_rho(x: Floats, y: Floats) -> float | None:
    """Pearson's correlation of the ranks; None where all x or all y are equal.

    >>> spearman_rho(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]))
    -1.0
    """
    a, b = (mid_ranks(side) - (len(side) + 1) / 2 for side in (x, y))
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size else None


def mid_ranks(values: Floats) -> Floats:
    """Ranks from 1, equal values at the middle of theirs.

    >>> mid_ranks(np.array([5.0, 1.0, 5.0, 3.0])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place])
