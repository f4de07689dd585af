"""Means through a suite's hierarchy, and the same means in every resample."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from editscope.cases import Group
from editscope.stats.bootstrap import hierarchical_bootstrap, percentile_interval
from editscope.stats.frame import Frame, column
from editscope.stats.hierarchy import Floats, weights
from editscope.stats.small_groups import CaseSpread, spreads

if TYPE_CHECKING:
    from editscope.cases import Aggregation
    from editscope.stats.frame import MeanTable, Rows

RESAMPLES = 1_000
"""A tenth of a table's: the ends of an interval then vary by about 4 % of its half-width with the seed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95 % interval. ``mean`` is the mean, or the median where the field says so.

    ``lo`` and ``hi`` are None where the cases carry no interval (``stats/small_groups.py``).
    """

    mean: float
    lo: float | None
    hi: float | None


@dataclass(frozen=True, eq=False)
class Averages:
    """Rows of one table: keys, number of cases, means (rows × values) and resampled means (… × resamples)."""

    keys: tuple[tuple[str, ...], ...]
    n: tuple[int, ...]
    means: Floats
    samples: Floats
    table: MeanTable

    @cached_property
    def spreads(self) -> list[list[CaseSpread]]:
        """What resampling can show of the cases behind each mean: rows × values."""
        return spreads(self.table)

    def interval(self, row: int, value: int, scale: float = 100.0) -> Interval:
        """One mean with its percentile interval; scaled to percent."""
        return interval(self.means[row, value], self.samples[row, value], scale, self.spreads[row][value])

    def difference(self, row: int, baseline: int, value: int, scale: float = 100.0) -> Interval:
        """How far a mean is above that of another row, resample by resample; no interval where one of them has none."""
        mean = self.means[row, value] - self.means[baseline, value]
        apart = self.samples[row, value] - self.samples[baseline, value]
        none = any(self.interval(place, value).lo is None for place in (row, baseline))
        # Two rows whose cases are all alike differ by the same in every resample, and that is what is known of them.
        cases = 0 if none else min(self.spreads[place][value].cases for place in (row, baseline))
        return interval(mean, apart, scale, CaseSpread(cases, differ=False))

    def contrast(self, row: int, first: int, second: int, scale: float = 100.0) -> Interval:
        """How far one value of a row is above another, case by case."""
        values = self.table.frame.values
        apart = np.ascontiguousarray((values[:, first] - values[:, second])[:, None])
        ((spread,),) = spreads(replace(self.table, frame=replace(self.table.frame, values=apart)))[row : row + 1]
        mean = self.means[row, first] - self.means[row, second]
        return interval(mean, self.samples[row, first] - self.samples[row, second], scale, spread)


def interval(mean: float, samples: Floats, scale: float = 1.0, spread: CaseSpread | None = None) -> Interval:
    """A value and the central 95 % of its resamples, unless these do not show how its cases spread.

    >>> interval(0.5, np.linspace(0.0, 1.0, 101), scale=100.0)
    Interval(mean=50.0, lo=2.5, hi=97.5)
    >>> interval(0.5, np.linspace(0.0, 1.0, 101), spread=CaseSpread(cases=4))
    Interval(mean=0.5, lo=None, hi=None)
    """

    def rounded(number: float) -> float:
        # Nine decimals hide the last bits of a division; adding 0 turns -0.0 into 0.0.
        return round(float(number) * scale, 9) + 0.0

    (low,), (high,) = percentile_interval(samples[None, :])
    if spread is not None and spread.gap(low, high):
        return Interval(rounded(mean), None, None)
    return Interval(rounded(mean), rounded(low), rounded(high))


def group_for(aggregation: Aggregation, by: tuple[str, ...]) -> Group:
    """How the suite averages rows with these tags; plainly over cases where it has no such table."""
    groups = (aggregation.overall, *aggregation.groups)
    return next((group for group in groups if group.by == by), Group("/".join(by), by))


def average(
    rows: Rows, aggregation: Aggregation, group: Group, values: Floats, *, resamples: int = RESAMPLES, seed: int = 0
) -> Averages:
    """Average ``values`` (cases × values, NaN: none) as the suite averages the rows of ``group``.

    Diagnostic cases stay out. Resampling is within the suite's strata, so that an interval here is of the same
    kind as those of the tables.
    """
    table = _table(rows, aggregation, group, values)
    frame = table.frame
    (means,), (samples,) = hierarchical_bootstrap(
        frame.values, frame.strata, [table.hierarchy], units=frame.units, resamples=resamples, seed=seed
    )
    keys, n = _rows(table, group)
    return Averages(keys, n, means, samples, table)


def plain_means(
    rows: Rows, aggregation: Aggregation, group: Group, values: Floats
) -> tuple[tuple[tuple[str, ...], ...], tuple[int, ...], Floats]:
    """The same means without resamples: keys, numbers of cases, means; a case counts when it has all values."""
    table = _table(rows, aggregation, group, values)
    values = table.frame.values
    whole = np.asarray(~np.isnan(values).any(axis=1))
    weight = weights(table.hierarchy, whole)
    used = weight > 0
    row_of = table.hierarchy.row_of
    means = np.zeros((len(table.keys), values.shape[1]))
    np.add.at(means, row_of[used], weight[used, None] * values[used])
    means[np.bincount(row_of[used], minlength=len(means)) == 0] = np.nan
    return *_rows(table, group), means


def _table(rows: Rows, aggregation: Aggregation, group: Group, values: Floats) -> MeanTable:
    frame = Frame.of(rows, replace(aggregation, overall=group, groups=()), ())
    ids = [str(case_id) for case_id in column(rows, "case_id")]
    # A frame has its rows in the order of ids; the values follow.
    return replace(frame, values=values[sorted(range(len(ids)), key=ids.__getitem__)]).table(group)


def _rows(table: MeanTable, group: Group) -> tuple[tuple[tuple[str, ...], ...], tuple[int, ...]]:
    """The tags of each row of a table, and how many cases it has."""
    row_of = table.hierarchy.row_of
    used, firsts, n = np.unique(row_of, return_index=True, return_counts=True)
    keys = [tuple(str(table.frame.tags[tag][i]) for tag in group.by) for i in firsts.tolist()]
    indices = [i for i, row in enumerate(used.tolist()) if row >= 0]
    return tuple(keys[i] for i in indices), tuple(int(n[i]) for i in indices)
