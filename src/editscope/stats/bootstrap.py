"""The hierarchical percentile bootstrap: every aggregate of a suite from one set of resamples.

A resample draws, within each stratum, as many cases as the stratum has, with replacement. Every aggregate is
then a mean of means over the same draw, so that one pass serves all rows of all tables.

The result is the same to the last bit on every machine and with any number of BLAS threads: the draws come
from raw PCG64 output (NumPy promises that stream, not the one of ``Generator``), values are rounded to
integers so small that every sum is exact in float64 whatever its order, and what comes after the sums runs in
a fixed order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Ints: TypeAlias = "NDArray[np.intp]"

RESAMPLES = 10_000
# Resamples at a time: few enough for the cache; an even number, so that a block never splits a raw number.
BLOCK = 1_000


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Which cases make which leaf, and which nodes make which node above, up to the rows of a table.

    ``leaf[i]`` is the leaf of case ``i``, or -1 when the case takes no part; ``parents[k][j]`` is the node of
    level ``k + 1`` that node ``j`` of level ``k`` belongs to. Nodes of a level are numbered 0, 1, 2 … without
    gaps, and those of the last level are the rows.
    """

    leaf: Ints
    parents: tuple[Ints, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes of each level, leaves first."""
        levels = (self.leaf, *self.parents)
        return tuple(int(level.max(initial=-1)) + 1 for level in levels)


def draws(seed: int, stratum: str, size: int, resamples: int) -> Iterator[NDArray[np.uint64]]:
    """Blocks of resamples of one stratum: rows of ``size`` positions, each uniform over 0 … size - 1.

    A position is ``(u * size) >> 32`` of a 32-bit number ``u``: biased by less than size / 2³². The stream
    depends on the seed and the stratum's name alone: what is drawn for one task does not change when others
    join the run.

    >>> [block.tolist() for block in draws(seed=0, stratum="border/default", size=4, resamples=3)]
    [[[3, 1, 3, 3], [3, 0, 2, 0], [2, 3, 1, 3]]]
    """
    words = np.frombuffer(sha256(stratum.encode()).digest(), dtype="<u4").astype(np.uint32)
    bits = np.random.PCG64(np.random.SeedSequence([seed, *words.tolist()]))
    for start in range(0, resamples, BLOCK):
        rows = min(BLOCK, resamples - start)
        raw = bits.random_raw((rows * size + 1) // 2).astype("<u8", copy=False)
        positions = raw.view("<u4")[: rows * size].astype(np.uint64).reshape(rows, size)
        positions *= np.uint64(size)
        positions >>= np.uint64(32)
        yield positions


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
        kept = samples[row][~np.isnan(samples[row])]
        if kept.size:
            (low[row],), (high[row],) = _quantiles(kept[None, :], tails)
    return low, high


def _quantiles(samples: Floats, at: Sequence[float]) -> list[Floats]:
    last = samples.shape[1] - 1
    places = [last * q for q in at]
    needed = sorted({min(int(place) + step, last) for place in places for step in (0, 1)})
    ordered = np.partition(samples, needed, axis=1)
    found = []
    for place in places:
        below = ordered[:, int(place)]
        above = ordered[:, min(int(place) + 1, last)]
        found.append(below + (above - below) * (place - int(place)))
    return found


def hierarchical_bootstrap(
    values: Floats,
    strata: Sequence[str],
    hierarchies: Sequence[Hierarchy],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[list[Floats], list[Floats]]:
    """Means of the rows of each hierarchy, and the same means in every resample.

    ``values`` is cases × metrics, NaN where a case has no value; ``strata`` names the stratum of each case.
    A leaf is the mean of its cases that have a value, counted as often as they were drawn; a node is the
    plain mean of its children. A leaf without a value, or a node without a child that has one, is left out
    of the mean above it: in a resample of a small stratum that happens even where the data are complete.

    Returns, for each hierarchy, means (rows × metrics) and resampled means (rows × metrics × resamples).

    >>> both = Hierarchy(leaf=np.array([0, 0, 1]), parents=(np.array([0, 0]),))  # two leaves, one row
    >>> values = np.array([[0.0], [1.0], [0.25]])
    >>> means, resampled = hierarchical_bootstrap(values, ["a", "a", "b"], [both], resamples=4)
    >>> means[0].tolist()  # ((0 + 1) / 2 + 0.25) / 2
    [[0.375]]
    >>> resampled[0][0, 0].tolist()  # the stratum of one case never changes
    [0.375, 0.125, 0.375, 0.375]
    """
    table = _Columns.of(values)
    order, atoms = _atoms(strata, hierarchies)
    columns = np.ascontiguousarray(table.columns[order])
    once = np.array([columns[start:stop].sum(axis=0) for _, _, start, stop in atoms])
    once = once.reshape(len(atoms), columns.shape[1])
    firsts = order[np.array([start for _, _, start, _ in atoms], dtype=np.intp)]
    means = [table.rows(once[:, :, None], h, firsts)[:, :, 0] for h in hierarchies]
    resampled = [np.empty((h.sizes[-1], values.shape[1], resamples)) for h in hierarchies]
    done = 0
    for sums in _resampled_sums(columns, atoms, resamples, seed):
        for hierarchy, out in zip(hierarchies, resampled, strict=True):
            out[:, :, done : done + sums.shape[2]] = table.rows(sums, hierarchy, firsts)
        done += sums.shape[2]
    return means, resampled


Atom: TypeAlias = "tuple[str, int, int, int]"
"""Cases of one stratum that no hierarchy tells apart: stratum, its size, start and stop in the new order."""


def _atoms(strata: Sequence[str], hierarchies: Sequence[Hierarchy]) -> tuple[Ints, list[Atom]]:
    """An order of the cases in which every stratum, and within it every atom, is one slice."""
    names = sorted(set(strata))
    rank = {name: i for i, name in enumerate(names)}
    keys = [np.array([rank[s] for s in strata], dtype=np.intp), *(h.leaf for h in hierarchies)]
    order = np.lexsort(keys[::-1]).astype(np.intp)
    sorted_keys = np.stack([key[order] for key in keys])
    n = len(strata)
    cuts = np.flatnonzero((sorted_keys[:, 1:] != sorted_keys[:, :-1]).any(axis=0)) + 1
    bounds = [0, *cuts.tolist(), n] if n else []
    sizes = np.bincount(keys[0], minlength=len(names))
    atoms = []
    for start, stop in pairwise(bounds):
        stratum = int(sorted_keys[0, start])
        atoms.append((names[stratum], int(sizes[stratum]), start, stop))
    return order, atoms


def _resampled_sums(columns: Floats, atoms: Sequence[Atom], resamples: int, seed: int) -> Iterator[Floats]:
    """For each block of resamples, the sum of every column over every atom: atoms × columns × resamples."""
    streams = {stratum: draws(seed, stratum, size, resamples) for stratum, size, _, _ in atoms}
    starts: dict[str, int] = {}
    for stratum, _, start, _ in atoms:
        starts.setdefault(stratum, start)
    for done in range(0, resamples, BLOCK):
        block = min(BLOCK, resamples - done)
        counts = {stratum: _counts(next(stream)) for stratum, stream in streams.items()}
        sums = np.empty((len(atoms), columns.shape[1], block))
        for i, (stratum, _, start, stop) in enumerate(atoms):
            offset = starts[stratum]
            drawn = counts[stratum][:, start - offset : stop - offset]
            np.matmul(columns[start:stop].T, drawn.T, out=sums[i])
        yield sums


def _counts(drawn: NDArray[np.uint64]) -> Floats:
    """How often each case of a stratum was drawn, in each resample."""
    rows, size = drawn.shape
    drawn += (np.arange(rows, dtype=np.uint64) * np.uint64(size))[:, None]
    flat = drawn.view(np.int64).ravel()
    return np.bincount(flat, minlength=rows * size).reshape(rows, size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Columns:
    """Values as exact integers, and a column of zeros and ones for each pattern of missing values."""

    columns: Floats
    scales: Floats
    pattern: Ints

    @classmethod
    def of(cls, values: Floats) -> _Columns:
        present = ~np.isnan(values)
        filled = np.where(present, values, 0.0)
        patterns, pattern = np.unique(present, axis=1, return_inverse=True)
        # Sums of at most n values stay below 2**52 in these units, so float64 adds them without rounding.
        largest = np.abs(filled).max(axis=0, initial=0.0) * max(len(values), 1)
        scales = np.ldexp(1.0, 52 - np.frexp(np.maximum(largest, 1.0))[1])
        columns = np.concatenate([np.rint(filled * scales), patterns.astype(np.float64)], axis=1)
        return cls(columns, scales, pattern.reshape(-1).astype(np.intp))

    def rows(self, sums: Floats, hierarchy: Hierarchy, firsts: Ints) -> Floats:
        """The rows of one hierarchy from the sums over atoms; NaN where a row has no value."""
        metrics = len(self.scales)
        leaves = np.zeros((hierarchy.sizes[0], *sums.shape[1:]))
        for leaf, atom in zip(hierarchy.leaf[firsts], sums, strict=True):
            if leaf >= 0:
                leaves[leaf] += atom
        total, number = leaves[:, :metrics], leaves[:, metrics:]
        if number.shape[1] > 1:  # metrics miss values in different cases, so each needs its own number
            number = number[:, self.pattern]
        total /= self.scales[:, None]
        for parents, size in zip(hierarchy.parents, hierarchy.sizes[1:], strict=True):
            means, has = _ratio(total, number)
            total = np.zeros((size, *means.shape[1:]))
            for child, parent in enumerate(parents):
                total[parent] += means[child]
            number = np.zeros((size, *has.shape[1:]))
            for child, parent in enumerate(parents):
                number[parent] += has[child]
        means, has = _ratio(total, number)
        if not has.all():
            means[~np.broadcast_to(has, means.shape)] = np.nan
        return means


def _ratio(total: Floats, number: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Total / number, and where there is one; 0 elsewhere, so that it adds nothing to the sum above.

    Works in the memory of ``total``.
    """
    has = number > 0
    total /= number if has.all() else np.maximum(number, 1.0)
    return total, has
