"""Agreement of raters: percent agreement, Cohen's kappa and Krippendorff's alpha, with intervals.

Ratings are one sequence per rater over the same items, None (or NaN) where a rater did not rate an item. The
intervals are percentile bootstraps over items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.stats.bootstrap import draws, percentile_interval
from editscope.stats.hierarchy import Floats, Ints

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
Weights: TypeAlias = Literal["linear", "quadratic"]
Ratings: TypeAlias = "Sequence[Sequence[Any]]"
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement over ``items`` that at least two raters rated; lo and hi None where it has none."""

    value: float
    lo: float | None
    hi: float | None
    items: int
    raters: int


def krippendorff_alpha(
    ratings: Ratings,
    level: Level = "nominal",
    *,
    order: Sequence[Any] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Agreement:
    """Krippendorff's alpha = 1 - D_o / D_e, any number of raters, ratings may be missing.

    An item rated mᵤ ≥ 2 times adds to the coincidences o_ck the number of its ordered pairs (c, k) / (mᵤ - 1).
    With n_c = Σ_k o_ck and n = Σ n_c, D_o = Σ o_ck δ²_ck / n and D_e = Σ n_c n_k δ²_ck / (n(n - 1)) (pairs of
    one value with itself have δ = 0). δ² is 1 where c ≠ k (nominal), (c - k)² (interval), or
    (Σ_{g=c…k} n_g - (n_c + n_k)/2)² (ordinal). ``order`` gives the order of values that are no numbers.

    >>> a, b = [1, 2, 3, 3, 2, 1, 4, 1, 2, None], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5]
    >>> round(krippendorff_alpha([a, b]).value, 4), round(krippendorff_alpha([a, b], "interval").value, 4)
    (0.8522, 0.9428)
    """
    table = _Table.of(ratings, order, numbers=level != "nominal")
    counts = table.counts[table.counts.sum(axis=1) >= 2]
    if not len(counts):
        raise BadInput("agreement needs at least one item that two raters rated")
    raters = counts.sum(axis=1)
    pairs = np.einsum("ic,ik->ick", counts, counts)
    eye = np.arange(counts.shape[1])
    pairs[:, eye, eye] -= counts  # a rating does not pair with itself
    pairs /= (raters - 1.0)[:, None, None]

    def alpha(coincidences: Floats) -> Floats:
        margin = coincidences.sum(axis=2)
        n = margin.sum(axis=1)
        delta = _distances(level, margin, table.values)
        seen = np.einsum("bck,bck->b", coincidences, delta)
        expected = np.einsum("bc,bk,bck->b", margin, margin, delta) / (n - 1.0)
        # All ratings alike: nothing disagrees and nothing could have.
        return np.where(expected > 0, 1.0 - seen / np.where(expected > 0, expected, 1.0), 1.0)

    return _with_interval(alpha, pairs, len(ratings), resamples, seed)


def cohen_kappa(
    a: Sequence[Any],
    b: Sequence[Any],
    weights: Weights | None = None,
    *,
    order: Sequence[Any] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Agreement:
    """Cohen's kappa of two raters = 1 - Σ w p_ck / Σ w p_c p_k over the items that both rated.

    w is 1 where the two differ; \\|c - k\\| (linear) or (c - k)² (quadratic) for ratings that are numbers, the
    same of their places in ``order`` for others.

    >>> a, b = [1, 2, 3, 3, 2, 1, 4, 1, 2, None], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5]
    >>> round(cohen_kappa(a, b).value, 4), round(cohen_kappa(a, b, "quadratic").value, 4)
    (0.8448, 0.9396)
    """
    table = _Table.of([a, b], order, numbers=weights is not None)
    first, second = table.places
    both = (first >= 0) & (second >= 0)
    if not both.any():
        raise BadInput("Cohen's kappa needs at least one item that both raters rated")
    size = len(table.values)
    crossed = np.zeros((int(both.sum()), size, size))
    crossed[np.arange(len(crossed)), first[both], second[both]] = 1.0
    apart = np.abs(table.values[:, None] - table.values[None, :])
    cost = (apart > 0).astype(np.float64) if weights is None else apart if weights == "linear" else apart**2

    def kappa(joint: Floats) -> Floats:
        n = joint.sum(axis=(1, 2))
        seen = (joint * cost).sum(axis=(1, 2)) * n
        expected = np.einsum("bc,bk,ck->b", joint.sum(axis=2), joint.sum(axis=1), cost)
        return np.where(expected > 0, 1.0 - seen / np.where(expected > 0, expected, 1.0), 1.0)

    return _with_interval(kappa, crossed, 2, resamples, seed)


def percent_agreement(ratings: Ratings, *, resamples: int = RESAMPLES, seed: int = 0) -> Agreement:
    """The share of pairs of ratings of one item that are equal, averaged over items, in percent.

    >>> percent_agreement([["yes", "no", "yes"], ["yes", "yes", "yes"], ["yes", "no", None]]).value  # 1, 1/3, 1
    77.777777778
    """
    table = _Table.of(ratings, None, numbers=False)
    counts = table.counts[table.counts.sum(axis=1) >= 2]
    if not len(counts):
        raise BadInput("agreement needs at least one item that two raters rated")
    raters = counts.sum(axis=1)
    shares = (counts * (counts - 1.0)).sum(axis=1) / (raters * (raters - 1.0))
    per_item = np.stack([shares, np.ones(len(shares))], axis=1)
    return _with_interval(lambda sums: 100.0 * sums[:, 0] / sums[:, 1], per_item, len(ratings), resamples, seed)


@dataclass(frozen=True, eq=False)
class _Table:
    """The value of each rating as a place in an ordered list, and how often each item got each value."""

    values: Floats
    places: Ints
    counts: Floats

    @classmethod
    def of(cls, ratings: Ratings, order: Sequence[Any] | None, *, numbers: bool) -> _Table:
        if len(ratings) < 2 or len({len(row) for row in ratings}) != 1:
            raise BadInput("agreement needs two raters or more, each with one entry (or None) for every item")
        known = [[None if _missing(value) else value for value in row] for row in ratings]
        distinct = {value for row in known for value in row if value is not None}
        are_numbers = all(isinstance(value, int | float | np.number) for value in distinct)
        if order is None and numbers and not are_numbers:
            raise BadInput("ratings that are no numbers have no distance: give their order, lowest first")
        if order is not None and not distinct <= set(order):
            strange = sorted(map(str, distinct - set(order)))[0]
            raise BadInput(f"the rating {strange!r} is not in the order given: {', '.join(map(str, order))}")
        listed = list(order) if order is not None else sorted(distinct) if are_numbers else sorted(distinct, key=str)
        place = {value: i for i, value in enumerate(listed)}
        places = np.array([[-1 if value is None else place[value] for value in row] for row in known], dtype=np.intp)
        counts = (
            np.stack([(places == i).sum(axis=0) for i in range(len(listed))], axis=1)
            if listed
            else np.zeros((len(places[0]), 0))
        )
        by_value = order is None and are_numbers
        values = np.array(listed if by_value else range(len(listed)), dtype=np.float64)
        return cls(values, places, counts.astype(np.float64))


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def _distances(level: Level, margin: Floats, values: Floats) -> Floats:
    """δ² between every two values, for each row of margins."""
    size = len(values)
    if level == "ordinal":
        middle = np.cumsum(margin, axis=1) - margin / 2.0
        return (middle[:, :, None] - middle[:, None, :]) ** 2
    apart = (values[:, None] - values[None, :]) ** 2 if level == "interval" else 1.0 - np.eye(size)
    return np.broadcast_to(apart, (len(margin), size, size))


def _with_interval(
    of: Callable[[Floats], Floats], per_item: Floats, raters: int, resamples: int, seed: int
) -> Agreement:
    """A coefficient of sums over items, and its interval from sums over items drawn with replacement."""
    n = len(per_item)
    flat = per_item.reshape(n, -1)
    value = float(of(per_item.sum(axis=0)[None])[0])
    low = high = np.array([np.nan])
    if resamples and n > 1:
        samples = []
        for block in draws(seed, "items", n, resamples):
            places = (block.astype(np.intp) + np.arange(len(block))[:, None] * n).ravel()
            times = np.bincount(places, minlength=len(block) * n).reshape(len(block), n)
            samples.append(of((times @ flat).reshape(len(block), *per_item.shape[1:])))
        low, high = percentile_interval(np.concatenate(samples)[None, :])
    lo, hi = (None if np.isnan(side[0]) else round(float(side[0]), 9) for side in (low, high))
    return Agreement(round(value, 9), lo, hi, n, raters)
