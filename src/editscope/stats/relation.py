"""Relation of the scores of two suites: a straight line through them, and correlations.

Everything here needs SciPy (the extra ``report``).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.stats.bootstrap import draws, percentile_interval
from editscope.stats.extras import needs
from editscope.stats.hierarchy import Floats
from editscope.stats.rank_correlation import kendall_rows, spearman_rows

Method: TypeAlias = Literal["pearson", "spearman", "kendall"]
RANK_RESAMPLES = 5_000
GROUP_RESAMPLES = 500
# Kendall's tau looks at every pair of points in every resample: this many in all.
MOST_SIGNS = 400_000_000


@dataclass(frozen=True, slots=True)
class LinearFit:
    """A least-squares line y = intercept + slope · x with what is needed to draw its bands.

    ``p`` tests slope = 0; ``residual_sd`` has n - 2 degrees of freedom; ``t`` is the quantile of ``level``.
    """

    n: int
    slope: float
    slope_lo: float
    slope_hi: float
    intercept: float
    intercept_lo: float
    intercept_hi: float
    r2: float
    p: float
    residual_sd: float
    x_mean: float
    x_squares: float
    t: float

    def at(self, x: Sequence[float] | Floats) -> Floats:
        """The line at some x."""
        return self.intercept + self.slope * np.asarray(x, dtype=np.float64)

    def band(self, x: Sequence[float] | Floats) -> tuple[Floats, Floats]:
        """Where the true line lies at each x: ŷ ± t · s · √(1/n + (x - x̄)² / Σ(xᵢ - x̄)²)."""
        return self._around(x, 0.0)

    def prediction_band(self, x: Sequence[float] | Floats) -> tuple[Floats, Floats]:
        """Where one more point would lie at each x: ŷ ± t · s · √(1 + 1/n + (x - x̄)² / Σ(xᵢ - x̄)²)."""
        return self._around(x, 1.0)

    def _around(self, x: Sequence[float] | Floats, extra: float) -> tuple[Floats, Floats]:
        distance = np.asarray(x, dtype=np.float64) - self.x_mean
        half = self.t * self.residual_sd * np.sqrt(extra + 1 / self.n + distance**2 / self.x_squares)
        line = self.at(x)
        return line - half, line + half


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation with its interval; ``p`` tests that there is none."""

    method: Method
    value: float
    lo: float | None
    hi: float | None
    p: float
    n: int


@dataclass(frozen=True, slots=True)
class Relation:
    """The models that two suites have in common, the line through their scores, and three correlations."""

    names: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    fit: LinearFit
    pearson: Correlation
    spearman: Correlation
    kendall: Correlation


def ols(x: Sequence[float], y: Sequence[float], *, level: float = 0.95) -> LinearFit:
    """Ordinary least squares of y on x: slope = Σ(xᵢ - x̄)(yᵢ - ȳ) / Σ(xᵢ - x̄)², R² = r², with t intervals.

    >>> fit = ols([1.0, 2.0, 3.0, 4.0], [2.0, 4.1, 5.9, 8.0])
    >>> round(fit.slope, 3), round(fit.intercept, 3), round(fit.r2, 4)
    (1.98, 0.05, 0.9991)
    >>> low, high = fit.band([2.5])
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (4.796, 5.204)
    """
    stats = needs("scipy.stats", "a fitted line")
    xs, ys = _points(x, y, least=3)
    line = stats.linregress(xs, ys)
    n = len(xs)
    t = float(stats.t.ppf((1 + level) / 2, n - 2))
    rest = ys - (line.intercept + line.slope * xs)
    slope, intercept = float(line.slope), float(line.intercept)
    slope_half, intercept_half = t * float(line.stderr), t * float(line.intercept_stderr)
    return LinearFit(
        n=n,
        slope=slope,
        slope_lo=slope - slope_half,
        slope_hi=slope + slope_half,
        intercept=intercept,
        intercept_lo=intercept - intercept_half,
        intercept_hi=intercept + intercept_half,
        r2=float(line.rvalue) ** 2,
        p=float(line.pvalue),
        residual_sd=sqrt(float(rest @ rest) / (n - 2)),
        x_mean=float(xs.mean()),
        x_squares=float(((xs - xs.mean()) ** 2).sum()),
        t=t,
    )


def correlation(
    x: Sequence[float],
    y: Sequence[float],
    method: Method = "pearson",
    *,
    level: float = 0.95,
    resamples: int = RANK_RESAMPLES,
    seed: int = 0,
) -> Correlation:
    """Pearson's r, Spearman's ρ or Kendall's τ-b of paired numbers, with p and interval.

    The interval of r is Fisher's: tanh(atanh r ± z / √(n - 3)). Those of the rank correlations are percentile
    bootstraps over points; a resample in which one side is constant has none and is left out. With more than
    some 400 points, τ gets fewer resamples (at least 200), since it looks at every pair of points.

    >>> found = correlation([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6])
    >>> round(found.value, 4), round(found.lo, 3), round(found.hi, 3)
    (0.8857, 0.264, 0.987)
    >>> round(correlation([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6], "kendall").value, 4)
    0.7333
    """
    stats = needs("scipy.stats", "a correlation")
    xs, ys = _points(x, y, least=3)
    n = len(xs)
    if method == "pearson":
        result = stats.pearsonr(xs, ys)
        value = float(result.statistic)
        lo, hi = _fisher(value, n, level)
        return Correlation(method, value, lo, hi, float(result.pvalue), n)
    result = stats.spearmanr(xs, ys) if method == "spearman" else stats.kendalltau(xs, ys)
    samples = _rank_samples(xs, ys, method, resamples, seed)
    low, high = percentile_interval(samples[None, :], level)
    lo, hi = (None if np.isnan(side[0]) else float(side[0]) for side in (low, high))
    return Correlation(method, float(result.statistic), lo, hi, float(result.pvalue), n)


def grouped_correlation(
    x: Sequence[float],
    y: Sequence[float],
    groups: Sequence[Hashable],
    method: Method = "pearson",
    *,
    level: float = 0.95,
    resamples: int = GROUP_RESAMPLES,
    seed: int = 0,
) -> tuple[float, float | None, float | None]:
    """A correlation over points that come in groups, such as the edits of one case: value and interval.

    The interval is a percentile bootstrap over groups, whose points are drawn together.

    >>> value, lo, hi = grouped_correlation([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6], "aabbcc", "spearman")
    >>> round(value, 3), lo <= value <= hi
    (0.886, True)
    """
    stats = needs("scipy.stats", "a correlation")
    xs, ys = _points(x, y, least=3)
    of = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[method]
    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    places = [np.array(group, dtype=np.intp) for group in members.values()]
    samples = []
    for block in draws(seed, "groups", len(places), resamples):
        for row in block.astype(np.intp):
            drawn = np.concatenate([places[i] for i in row])
            a, b = xs[drawn], ys[drawn]
            samples.append(float(of(a, b).statistic) if np.ptp(a) and np.ptp(b) else np.nan)
    low, high = percentile_interval(np.array(samples)[None, :], level)
    lo, hi = (None if len(places) < 2 or np.isnan(side[0]) else float(side[0]) for side in (low, high))
    return float(of(xs, ys).statistic), lo, hi


def relate(first: Mapping[str, float], second: Mapping[str, float], *, level: float = 0.95) -> Relation:
    """The models that have a score in both suites: the line of the second on the first, and the correlations.

    >>> paint, charts = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 5.0}, {"a": 2.0, "c": 7.0, "b": 4.0, "d": 11.0, "e": 1.0}
    >>> found = relate(paint, charts)
    >>> found.names, round(found.fit.r2, 3), found.kendall.value
    (('a', 'b', 'c', 'd'), 0.959, 1.0)
    """
    names = tuple(name for name in first if name in second)
    if len(names) < 3:
        raise BadInput(f"a relation needs three models that have a score in both suites, but there are {len(names)}")
    x, y = [float(first[name]) for name in names], [float(second[name]) for name in names]
    return Relation(
        names,
        tuple(x),
        tuple(y),
        ols(x, y, level=level),
        correlation(x, y, "pearson", level=level),
        correlation(x, y, "spearman", level=level),
        correlation(x, y, "kendall", level=level),
    )


def _points(x: Sequence[float], y: Sequence[float], least: int) -> tuple[Floats, Floats]:
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(xs) != len(ys) or len(xs) < least:
        raise BadInput(f"at least {least} pairs of numbers are needed, not {len(xs)} and {len(ys)} numbers")
    if not (np.isfinite(xs).all() and np.isfinite(ys).all()):
        raise BadInput("a relation needs numbers that are finite; leave out the pairs that have none")
    if np.ptp(xs) == 0 or np.ptp(ys) == 0:
        raise BadInput("a relation needs numbers that vary, but one side is the same throughout")
    return xs, ys


def _fisher(r: float, n: int, level: float) -> tuple[float | None, float | None]:
    if n < 4:
        return None, None
    if abs(r) >= 1:
        return r, r
    half = NormalDist().inv_cdf((1 + level) / 2) / sqrt(n - 3)
    return tanh(atanh(r) - half), tanh(atanh(r) + half)


def _rank_samples(x: Floats, y: Floats, method: Method, resamples: int, seed: int) -> Floats:
    if method == "kendall":
        resamples = min(resamples, max(200, MOST_SIGNS // (len(x) * (len(x) - 1) // 2)))
    blocks = [block.astype(np.intp) for block in draws(seed, "points", len(x), resamples)]
    rows = spearman_rows if method == "spearman" else kendall_rows
    return np.concatenate([rows(x[block], y[block]) for block in blocks]) if blocks else np.empty(0)
