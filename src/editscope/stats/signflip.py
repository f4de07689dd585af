"""The sign-flip randomization test: how often chance alone gives a mean difference as large as the one seen.

If two editors are equally good, the difference of a case could as well have had the other sign. The test gives
every case a random sign, repeats the suite's own means of means, and counts. Few cases are not sampled: all of
their 2ⁿ sign patterns are tried.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from editscope.stats.bootstrap import BLOCK, RESAMPLES, raw_stream
from editscope.stats.hierarchy import Columns, Floats, Hierarchy, Ints, Layout, atom_sums, layout, weights

# Up to this many units that differ, every pattern of signs is tried: at most 2 ** 12 of them.
EXACT = 13
# Two means are equal when they agree to this share of the largest mean that signs can make: sums over leaves are
# exact, the divisions above them are not.
EQUAL = 1e-9


def sign_flip_test(
    differences: Floats,
    strata: Sequence[str],
    hierarchies: Sequence[Hierarchy],
    *,
    units: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Floats]:
    """The two-sided p-value of every row of each hierarchy: rows × metrics, NaN where a row has no value.

    With D the mean of means of the differences and D* the same after each unit got a random sign,
    p = (1 + #{\\|D*\\| ≥ \\|D\\|}) / (1 + resamples). With at most 13 units that differ from zero,
    p = #{\\|D*\\| ≥ \\|D\\|} / 2ⁿ over all patterns. The stream of signs of a stratum depends on the seed and
    the stratum's name alone.

    >>> flat = Hierarchy(leaf=np.zeros(5, dtype=np.intp))
    >>> sign_flip_test(np.array([[0.1], [0.2], [0.1], [0.4], [0.3]]), ["s"] * 5, [flat])[0].tolist()  # 2 of 32
    [[0.0625]]
    >>> sign_flip_test(np.zeros((5, 1)), ["s"] * 5, [flat])[0].tolist()
    [[1.0]]
    """
    plan = layout(strata, hierarchies, units)
    table = Columns.of(differences, plan.most)
    metrics = differences.shape[1]
    columns = np.ascontiguousarray(table.columns[plan.order, :metrics])
    firsts, present = plan.firsts, np.isfinite(differences)
    shares = [_shares(hierarchy, present, table.pattern, plan) for hierarchy in hierarchies]
    rows = [hierarchy.row_of[firsts] for hierarchy in hierarchies]
    sizes = [hierarchy.sizes[-1] for hierarchy in hierarchies]
    once = atom_sums(columns, plan.atoms)[:, :, None]
    most = atom_sums(np.abs(columns), plan.atoms)[:, :, None]
    needed = [
        np.abs(_means(*each, once)) - EQUAL * _means(*each, most) for each in zip(shares, rows, sizes, strict=True)
    ]
    reached = [np.zeros(least.shape[:2], dtype=np.int64) for least in needed]

    def drawn(stratum: str) -> Iterator[Floats]:
        return _signs(seed, stratum, plan.units[stratum], resamples)

    for sums in plan.weighted_sums(columns, drawn, resamples, BLOCK):
        for share, row, size, least, count in zip(shares, rows, sizes, needed, reached, strict=True):
            count += (np.abs(_means(share, row, size, sums)) >= least).sum(axis=2)
    p_values = []
    for hierarchy, share, row, size, count in zip(hierarchies, shares, rows, sizes, reached, strict=True):
        empty = _means(share, row, size, np.ones((*share.shape, 1)))[:, :, 0] == 0.0
        p = np.where(empty, np.nan, (1 + count) / (1 + resamples))
        _replace_small(p, differences, hierarchy, units)
        p_values.append(p)
    return p_values


def _shares(hierarchy: Hierarchy, present: NDArray[np.bool_], pattern: Ints, plan: Layout) -> Floats:
    """What the sum over an atom counts for in its row: atoms × metrics.

    Signs do not change who is present, so that a mean of means is a weighted sum with weights known beforehand;
    within an atom all that are present weigh the same.
    """
    shares = np.zeros((len(plan.atoms), len(pattern)))
    for number in range(int(pattern.max(initial=-1)) + 1):
        here = pattern == number
        weight = weights(hierarchy, present[:, np.flatnonzero(here)[0]])[plan.order]
        shares[:, here] = np.array([weight[atom.start : atom.stop].max() for atom in plan.atoms])[:, None]
    return shares


def _means(shares: Floats, rows: Ints, size: int, sums: Floats) -> Floats:
    """Rows × metrics × draws, in the integer units of each metric; an atom adds its share to its row."""
    means = np.zeros((size, *sums.shape[1:]))
    for row, share, atom in zip(rows.tolist(), shares, sums, strict=True):
        if row >= 0:
            means[row] += share[:, None] * atom
    return means


def _signs(seed: int, stratum: str, size: int, resamples: int) -> Iterator[Floats]:
    """Blocks of resamples × units of -1 and 1, each from one raw bit."""
    bits = raw_stream(seed, f"signs of {stratum}")
    for start in range(0, resamples, BLOCK):
        rows = min(BLOCK, resamples - start)
        raw = bits.random_raw((rows * size + 63) // 64).astype("<u8", copy=False)
        ones = np.unpackbits(raw.view(np.uint8), count=rows * size, bitorder="little")
        signs = ones.astype(np.float64).reshape(rows, size)
        signs *= 2.0
        signs -= 1.0
        yield signs


def _replace_small(p: Floats, differences: Floats, hierarchy: Hierarchy, units: Sequence[Hashable] | None) -> None:
    """Put the exact p-value where few units differ."""
    row_of = hierarchy.row_of
    number = {unit: i for i, unit in enumerate(dict.fromkeys(units or ()))}
    unit = np.array([number[u] for u in units], dtype=np.intp) if units is not None else np.arange(len(row_of))
    for metric in range(differences.shape[1]):
        values = differences[:, metric]
        moved = np.nan_to_num(values) * weights(hierarchy, ~np.isnan(values))
        differing = np.bincount(row_of[(moved != 0.0) & (row_of >= 0)], minlength=len(p))
        limit = EXACT if units is None else len(row_of)  # several rows may make one unit
        for row in np.flatnonzero((differing <= limit) & ~np.isnan(p[:, metric])):
            here = (row_of == row) & (moved != 0.0)
            members = np.unique(unit[here], return_inverse=True)[1]
            if members.max(initial=-1) < EXACT:
                parts, most = _sums(members, moved[here]), _sums(members, np.abs(moved[here]))
                parts[np.abs(parts) <= EQUAL * most] = 0.0  # rows that cancel leave a rounding error, no difference
                p[row, metric] = exact_sign_flip(parts)


def _sums(member: Ints, values: Floats) -> Floats:
    sums = np.zeros(int(member.max(initial=-1)) + 1)
    np.add.at(sums, member, values)
    return sums


def exact_sign_flip(parts: Floats) -> float:
    """The share of all sign patterns whose sum is as far from zero as the sum of the parts.

    >>> exact_sign_flip(np.array([1.0, 1.0, 2.0]))  # +++ and --- of 8
    0.25
    """
    rest = np.sort(np.abs(parts[parts != 0.0]))
    if not len(rest):
        return 1.0
    real = abs(float(np.sum(parts)))
    totals = rest[-1:].copy()  # one sign stays fixed: a pattern and its mirror image are equally far from zero
    for part in rest[:-1]:
        totals = np.concatenate([totals + part, totals - part])
    return float(np.mean(np.abs(totals) >= real - EQUAL * rest.sum()))
