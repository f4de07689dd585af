"""Bounds of a mean: what it could have been if no verdict were missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from editscope.errors import BadInput
from editscope.stats.bootstrap import hierarchical_bootstrap
from editscope.stats.frame import UNIT, Frame, MeanTable, Rows
from editscope.stats.summary import shown

if TYPE_CHECKING:
    from editscope.cases import Aggregation


@dataclass(frozen=True, slots=True)
class Bounds:
    """The mean of the ``n`` values that are there, and where it lies with the ``missing`` ones at worst and at best.

    In percent; ``mean`` is None where every value is missing. Where rows are folded to cases first, ``missing``
    counts the cases that lack any value.
    """

    mean: float | None
    worst: float
    best: float
    n: int
    missing: int


@dataclass(frozen=True, slots=True)
class BoundsGroup:
    """One row of a table of bounds."""

    by: str
    key: str
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class BoundsTable:
    """The bounds of the overall mean and of every group."""

    metric: str
    overall: Bounds
    groups: tuple[BoundsGroup, ...]


def missing_bounds(
    rows: Rows,
    aggregation: Aggregation,
    metric: str,
    *,
    worst: float = 0.0,
    best: float = 1.0,
    unit: str | None = UNIT,
    filled: tuple[str, str] | None = None,
) -> BoundsTable:
    """Put the worst, then the best possible value where there is none, and average through the hierarchy.

    A row whose metric is None or NaN has no value; ``worst`` and ``best`` are fractions, the ends of the
    metric's scale. Unlike an interval, bounds say nothing of chance: they hold whatever the missing verdicts
    would have been. ``filled`` names columns that hold the worst and the best already, where a row is the mean of
    several values of which only some are missing.

    >>> from editscope.cases import Aggregation, Group
    >>> plan = Aggregation(Group("overall", (), ("task",)), (Group("task", ("task",)),), strata=("task",))
    >>> rows = {"task": ["border", "border", "removal"], "accuracy": [1.0, None, 0.5]}
    >>> table = missing_bounds(rows, plan, "accuracy")
    >>> table.overall  # border: 1.0, at worst (1 + 0) / 2
    Bounds(mean=75.0, worst=50.0, best=75.0, n=2, missing=1)
    >>> [(g.key, g.bounds.worst, g.bounds.best) for g in table.groups]
    [('border', 50.0, 100.0), ('removal', 50.0, 50.0)]
    """
    frame = Frame.of(rows, aggregation, [metric, *(filled or ())], unit)
    seen = frame.values[:, 0]
    known = np.isfinite(seen)
    ends = frame.values[:, 1:].T if filled else (np.where(known, seen, worst), np.where(known, seen, best))
    columns = [seen, *ends]
    tables = replace(frame, values=np.stack(columns, axis=1)).tables(aggregation)
    by_table = [_bounds(table, metric) for table in tables]
    if not by_table[0]:
        raise BadInput(f"no row counts for the average of {metric!r}, so that it has no bounds")
    groups = [
        BoundsGroup(table.name, key, bounds)
        for table, rows_of in zip(tables[1:], by_table[1:], strict=True)
        for key, bounds in zip(table.keys, rows_of, strict=True)
    ]
    return BoundsTable(metric, by_table[0][0], tuple(groups))


def _bounds(table: MeanTable, metric: str) -> list[Bounds]:
    values, row_of = table.frame.values, table.hierarchy.row_of
    (means,), _ = hierarchical_bootstrap(values, table.frame.strata, [table.hierarchy], resamples=0)
    bounds = []
    for row, (mean, worst, best) in enumerate(means):
        here = values[row_of == row]
        n, missing = int(np.isfinite(here[:, 0]).sum()), int((here[:, 1] != here[:, 2]).sum())
        bounds.append(Bounds(shown(mean, metric), shown(worst, metric) or 0.0, shown(best, metric) or 0.0, n, missing))
    return bounds
