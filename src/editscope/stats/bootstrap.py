"""The hierarchical percentile bootstrap: every aggregate of a suite from one set of resamples.

A resample draws, within each stratum, as many cases as the stratum has, with replacement. Every aggregate is
then a mean of means over the same draw, so that one pass serves all rows of all tables.

The result is the same to the last bit on every machine and with any number of BLAS threads: the draws come
from raw PCG64 output (NumPy promises that stream, not the one of ``Generator``), values are rounded to
integers so small that every sum is exact in float64 whatever its order, and what comes after the sums runs in
a fixed order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from editscope.stats.hierarchy import Columns, Floats, Hierarchy, Ints, atom_sums, layout

__all__ = ["RESAMPLES", "Floats", "Hierarchy", "Ints", "draws", "hierarchical_bootstrap", "percentile_interval"]

RESAMPLES = 10_000
BLOCK = 1_000
"""Resamples whose means are computed at a time."""
MOST_DRAWN = 200_000
"""Positions that are drawn at a time, as far as possible: few enough for the cache."""
LARGE = 50_000_000
"""Draws of rows from which on compiled code counts them; a run of 1,920 cases has less than half of it."""


def raw_stream(seed: int, name: str) -> np.random.PCG64:
    """The stream of random bits that belongs to a seed and a name, whatever else is drawn."""
    words = np.frombuffer(sha256(name.encode()).digest(), dtype="<u4").astype(np.uint32)
    return np.random.PCG64(np.random.SeedSequence([seed, *words.tolist()]))


def block_size(size: int) -> int:
    """How many resamples of ``size`` positions to draw at a time: an even part of ``BLOCK``.

    An even number never splits a raw number of 64 bits, so that blocks of all sizes draw the same.

    >>> block_size(12), block_size(5_000), block_size(100_000), block_size(10**9)
    (1000, 40, 2, 2)
    """
    parts = (BLOCK // n for n in (1, 2, 4, 5, 10, 20, 25, 50, 100, 125, 250))
    return next((rows for rows in parts if rows * size <= MOST_DRAWN), 2)


def draws(seed: int, stratum: str, size: int, resamples: int, block: int | None = None) -> Iterator[NDArray[np.uint64]]:
    """Blocks of resamples of one stratum: rows of ``size`` positions, each uniform over 0 … size - 1.

    A position is ``(u * size) >> 32`` of a 32-bit number ``u``: biased by less than size / 2³². The stream
    depends on the seed and the stratum's name alone: what is drawn for one task does not change when others
    join the run. ``block`` is the number of resamples in a block, an even one; it does not change what is drawn.

    >>> [block.tolist() for block in draws(seed=0, stratum="border/default", size=4, resamples=3)]
    [[[3, 1, 3, 3], [3, 0, 2, 0], [2, 3, 1, 3]]]
    """
    bits = raw_stream(seed, stratum)
    block = BLOCK if block is None else block
    for start in range(0, resamples, block):
        # Without a name here, so that a stratum keeps no block while others are drawn.
        yield _positions(bits, min(block, resamples - start), size)


def _raw(bits: np.random.PCG64, number: int) -> NDArray[np.uint32]:
    """So many numbers of 32 bits."""
    return bits.random_raw((number + 1) // 2).astype("<u8", copy=False).view("<u4")[:number]


def _positions(bits: np.random.PCG64, rows: int, size: int) -> NDArray[np.uint64]:
    positions = _raw(bits, rows * size).astype(np.uint64).reshape(rows, size)
    positions *= np.uint64(size)
    positions >>= np.uint64(32)
    return positions


def percentile_interval(samples: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """The central interval of each row: its order statistics at (m - 1)(1 ∓ level)/2, interpolated.

    Samples that are NaN (a resample that holds no case of the aggregate) are left out; a row of nothing but
    NaN has the interval NaN, NaN.

    >>> low, high = percentile_interval(np.arange(101.0)[None, :], level=0.9)
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([5.0], [95.0])
    """
    low, high = np.full((2, len(samples)), np.nan)
    if not samples.shape[1]:
        return low, high
    whole = ~np.isnan(samples).any(axis=1)
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    low[whole], high[whole] = _quantiles(samples[whole], tails)
    for row in np.flatnonzero(~whole):
        valid = samples[row][~np.isnan(samples[row])]
        if valid.size:
            (low[row],), (high[row],) = _quantiles(valid[None, :], tails)
    return low, high


def _quantiles(samples: Floats, at: Sequence[float]) -> list[Floats]:
    last = samples.shape[1] - 1
    places = [last * q for q in at]
    needed = sorted({min(int(place) + step, last) for place in places for step in (0, 1)})
    ordered = np.partition(samples, needed, axis=1)
    quantiles = []
    for place in places:
        below = ordered[:, int(place)]
        above = ordered[:, min(int(place) + 1, last)]
        quantiles.append(below + (above - below) * (place - int(place)))
    return quantiles


def hierarchical_bootstrap(
    values: Floats,
    strata: Sequence[str],
    hierarchies: Sequence[Hierarchy],
    *,
    units: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[list[Floats], list[Floats]]:
    """Means of the rows of each hierarchy, and the same means in every resample.

    ``values`` is cases × metrics, NaN where a case has no value; ``strata`` names the stratum of each case.
    A leaf is the mean of its cases that have a value, counted as often as they were drawn; a node is the
    plain mean of its children. A leaf without a value, or a node without a child that has one, is left out
    of the mean above it: in a resample of a small stratum that happens even where the data are complete.
    ``units`` names what is drawn: rows of the same unit (the questions, metrics or repeats of one case) are
    drawn together, as often as their unit was; without it every row is drawn on its own.

    Returns, for each hierarchy, means (rows × metrics) and resampled means (rows × metrics × resamples).

    >>> both = Hierarchy(leaf=np.array([0, 0, 1]), parents=(np.array([0, 0]),))  # two leaves, one row
    >>> values = np.array([[0.0], [1.0], [0.25]])
    >>> means, resampled = hierarchical_bootstrap(values, ["a", "a", "b"], [both], resamples=4)
    >>> means[0].tolist()  # ((0 + 1) / 2 + 0.25) / 2
    [[0.375]]
    >>> resampled[0][0, 0].tolist()  # the stratum of one case never changes
    [0.375, 0.125, 0.375, 0.375]
    >>> _, resampled = hierarchical_bootstrap(values, ["s"] * 3, [both], units="xxy", resamples=4)
    >>> resampled[0][0, 0].tolist()  # x alone is 0.5, y alone 0.25
    [0.5, 0.375, 0.375, 0.25]
    """
    plan = layout(strata, hierarchies, units)
    table = Columns.of(values, plan.most)
    columns = np.ascontiguousarray(table.columns[plan.order])
    firsts = plan.firsts
    once = atom_sums(columns, plan.atoms)
    means = [table.rows(once[:, :, None], h, firsts)[:, :, 0] for h in hierarchies]
    resampled = [np.empty((h.sizes[-1], values.shape[1], resamples)) for h in hierarchies]
    done = 0

    def drawn(stratum: str) -> Iterator[Floats]:
        size = plan.units[stratum]
        if len(columns) * resamples >= LARGE:
            return _counted(seed, stratum, size, resamples)
        return map(_counts, draws(seed, stratum, size, resamples, block_size(size)))

    for sums in plan.weighted_sums(columns, drawn, resamples, BLOCK):
        for hierarchy, out in zip(hierarchies, resampled, strict=True):
            out[:, :, done : done + sums.shape[2]] = table.rows(sums, hierarchy, firsts)
        done += sums.shape[2]
    return means, resampled


def _counted(seed: int, stratum: str, size: int, resamples: int) -> Iterator[Floats]:
    """``_counts`` of all ``draws`` by compiled code, which a run of usual size does not pay back."""
    bits, block = raw_stream(seed, stratum), block_size(size)
    for start in range(0, resamples, block):
        yield _counted_block(bits, min(block, resamples - start), size)  # without a name, as in ``draws``


def _counted_block(bits: np.random.PCG64, rows: int, size: int) -> Floats:
    from editscope.stats._draw_kernels import count_draws

    counts = np.zeros((rows, size))
    count_draws(_raw(bits, rows * size), counts)
    return counts


def _counts(drawn: NDArray[np.uint64]) -> Floats:
    """How often each unit of a stratum was drawn, in each resample."""
    rows, size = drawn.shape
    drawn += (np.arange(rows, dtype=np.uint64) * np.uint64(size))[:, None]
    flat = drawn.view(np.int64).ravel()
    return np.bincount(flat, minlength=rows * size).reshape(rows, size).astype(np.float64)
