"""Rank correlations of paired numbers, Spearman's ρ and Kendall's τ-b, without SciPy and for many resamples at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from editscope.stats.hierarchy import Floats, Ints

# Kendall's tau looks at every pair of points in every resample: this many at a time.
SIGNS_AT_ONCE = 4_000_000


def spearman_rho(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float | None:
    """Spearman's ρ: Pearson's correlation of the ranks. None where one side is the same throughout.

    >>> round(spearman_rho([1, 2, 3, 4], [1, 3, 2, 4]), 4), spearman_rho([1, 2], [5, 5])
    (0.8, None)
    """
    return _single(spearman_rows(_row(x), _row(y)))


def kendall_tau(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> float | None:
    """Kendall's τ-b: (concordant - discordant pairs) / √(pairs that differ in x · pairs that differ in y).

    None where one side is the same throughout.

    >>> round(kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]), 4), kendall_tau([1, 2], [5, 5])
    (0.6667, None)
    """
    return _single(kendall_rows(_row(x), _row(y)))


def spearman_rows(x: Floats, y: Floats) -> Floats:
    """Spearman's ρ of each row of ``x`` with the same row of ``y``; NaN where one of them is constant."""
    return _cosine(*(average_ranks(side) - (side.shape[1] + 1) / 2 for side in (x, y)))


def kendall_rows(x: Floats, y: Floats) -> Floats:
    """Kendall's τ-b of each row of ``x`` with the same row of ``y``; NaN where one of them is constant."""
    i, j = np.triu_indices(x.shape[1], 1)
    step = max(1, SIGNS_AT_ONCE // max(1, len(i)))
    parts = [_kendall_block(x[at : at + step], y[at : at + step], i, j) for at in range(0, len(x), step)]
    return np.concatenate(parts)


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1 within each row; equal values share the mean of their ranks.

    >>> average_ranks(np.array([[5.0, 1.0, 5.0, 3.0]])).tolist()
    [[3.5, 1.0, 3.5, 2.0]]
    """
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    differs = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((len(values), 1), np.bool_)
    place = np.arange(1.0, values.shape[1] + 1)
    # The first and the last place of each run of equal values.
    first = np.maximum.accumulate(np.where(np.hstack([edge, differs]), place, 0.0), axis=1)
    last = np.where(np.hstack([differs, edge]), place, np.inf)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2, axis=1)
    return ranks


def _kendall_block(x: Floats, y: Floats, i: Ints, j: Ints) -> Floats:
    """τ-b is the cosine between the signs of all differences of x and those of y."""
    return _cosine(np.sign(x[:, i] - x[:, j]), np.sign(y[:, i] - y[:, j]))


def _cosine(x: Floats, y: Floats) -> Floats:
    both = np.einsum("ij,ij->i", x, y)
    size = np.sqrt(np.einsum("ij,ij->i", x, x) * np.einsum("ij,ij->i", y, y))
    return np.where(size > 0, both / np.where(size > 0, size, 1.0), np.nan)


def _row(values: Sequence[float] | Floats) -> Floats:
    return np.asarray(values, dtype=np.float64)[None, :]


def _single(values: Floats) -> float | None:
    return None if np.isnan(values[0]) else float(values[0])
