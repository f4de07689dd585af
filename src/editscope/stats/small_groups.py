"""Small groups: what an interval, an effect size or a verdict needs, and what may be called weakest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from editscope.stats.frame import MeanTable

Row = TypeVar("Row")

LEAST_CASES = 5
"""With fewer cases a mean stands without an interval, and a difference without a verdict and an effect size.

The percentile bootstrap of four cases covers its 95 % far less often, and no sign-flip test of four can reach 0.05.
"""
FEW = "few_cases"
"""The key of a cell without an interval: how many cases there were to resample."""
HIDDEN = "hidden_spread"
"""The key of a cell without an interval although it has enough cases: resampling does not show how they differ."""
NO_WIDTH = 1e-12
"""Fractions that are nearer to each other are equal but for the last bits of a division."""


@dataclass(frozen=True, slots=True)
class CaseSpread:
    """What resampling can show of the scores of a row.

    ``cases`` is how many cases can be resampled: a case counts once, however many questions or variants it has, and
    one that is alone in its stratum is in every resample as it is, so that it does not count. ``differ`` says that
    not all cases have the same score, and ``alone`` that most of their spread (of the squared distances from the
    mean) belongs to cases that are alone in their strata.
    """

    cases: int
    differ: bool = True
    alone: bool = False

    def gap(self, lo: float, hi: float) -> dict[str, Any]:
        """Why these ends are no interval, as a cell says it; empty where they are one.

        Ends without width are an interval only where all cases have the same score.

        >>> CaseSpread(4).gap(0.1, 0.3), CaseSpread(8).gap(0.2, 0.2), CaseSpread(8, alone=True).gap(0.1, 0.2)
        ({'few_cases': 4}, {'hidden_spread': True}, {'hidden_spread': True})
        >>> CaseSpread(8).gap(0.1, 0.3), CaseSpread(8, differ=False).gap(0.2, 0.2)
        ({}, {})
        """
        if not enough(self.cases):
            return {FEW: self.cases}
        return {HIDDEN: True} if self.alone or (self.differ and hi - lo <= NO_WIDTH) else {}


def enough(cases: int) -> bool:
    """Whether so many cases can carry an interval.

    >>> enough(4), enough(5)
    (False, True)
    """
    return cases >= LEAST_CASES


def wilson(share: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share of n, 95 % for the usual z: it has width however few there are.

    >>> [round(end, 2) for end in wilson(0.5, 2)], [round(end, 2) for end in wilson(0.5, 100)]
    ([0.09, 0.91], [0.4, 0.6])
    """
    middle = share + z * z / (2 * n)
    reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    whole = 1 + z * z / n
    return (middle - reach) / whole, (middle + reach) / whole


def leaves_out(lo: float | None, hi: float | None, at: float = 0.0) -> bool:
    """Whether there is an interval, and a value lies outside it.

    >>> leaves_out(1.0, 2.0), leaves_out(-1.0, 2.0), leaves_out(None, None)
    (True, False, False)
    """
    return lo is not None and hi is not None and not lo <= at <= hi


def is_few(cell: Mapping[str, Any]) -> bool:
    """Whether a cell of summary.json has a mean, but cases that carry no interval."""
    return (FEW in cell or HIDDEN in cell) and cell["mean"] is not None


def why_no_interval(cell: Mapping[str, Any]) -> str:
    """Why a cell has a mean and no interval, in words; "" where it has one.

    >>> why_no_interval({"mean": 3.5, "n": 3, "few_cases": 3}), why_no_interval({"mean": 3.5, "n": 12, "few_cases": 2})
    ('too few for an interval', 'too few in each group for an interval')
    >>> why_no_interval({"mean": 3.5, "n": 15, "hidden_spread": True})
    'no interval: resampling cannot vary the cases that differ'
    """
    if not is_few(cell):
        return ""
    if HIDDEN in cell:
        return "no interval: resampling cannot vary the cases that differ"
    return f"too few{' in each group' if enough(cell['n']) else ''} for an interval"


def few_in_words(cell: Mapping[str, Any]) -> str:
    """Why a cell has no interval, in brackets; "" where it has one.

    >>> few_in_words({"mean": 3.5, "n": 3, "few_cases": 3})
    ' (n = 3, too few for an interval)'
    """
    return f" (n = {cell['n']:,}, {why_no_interval(cell)})" if is_few(cell) else ""


def rules_in_words(cells: Sequence[Mapping[str, Any]]) -> str:
    """Where some cells have no interval, in words that follow "no interval"; "" where all have one.

    >>> rules_in_words([{"mean": 3.5, "n": 3, "few_cases": 3}])
    'where fewer than 5 cases could be resampled'
    >>> rules_in_words([{"mean": 3.5, "n": 15, "hidden_spread": True}, {"mean": 3.5, "lo": 3, "hi": 4, "n": 9}])
    'where resampling cannot vary the cases that differ'
    """
    gaps = [cell for cell in cells if is_few(cell)]
    reasons = [
        f"fewer than {LEAST_CASES} cases could be resampled" if any(FEW in cell for cell in gaps) else "",
        "resampling cannot vary the cases that differ" if any(HIDDEN in cell for cell in gaps) else "",
    ]
    return f"where {' or '.join(filter(None, reasons))}" if gaps else ""


def spreads(table: MeanTable) -> list[list[CaseSpread]]:
    """What resampling can show of each row and metric of a table: rows × metrics."""
    frame, row_of = table.frame, table.hierarchy.row_of
    units, used = _numbered(range(len(frame.values)) if frame.units is None else frame.units), row_of >= 0
    stratum_of = _numbered(frame.strata)
    by_metric = []
    for metric in range(frame.values.shape[1]):
        values = frame.values[:, metric]
        known = used & np.isfinite(values)
        by_metric.append(
            _column_spreads(row_of[known], units[known], stratum_of[known], values[known], len(table.keys))
        )
    return [list(row) for row in zip(*by_metric, strict=True)]


def _numbered(names: Sequence[Any]) -> NDArray[np.intp]:
    number: dict[Any, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.intp)


def _column_spreads(
    row_of: NDArray[np.intp],
    unit_of: NDArray[np.intp],
    stratum_of: NDArray[np.intp],
    values: NDArray[np.float64],
    rows: int,
) -> list[CaseSpread]:
    """The spread of each row in one metric, from the rows of the frame that have a value."""
    if not len(values):
        return [CaseSpread(0, differ=False)] * rows
    units, first = np.unique(unit_of, return_index=True)
    together = np.bincount(stratum_of[first])
    alone_units = np.zeros(units[-1] + 1, dtype=np.bool_)
    alone_units[units] = together[stratum_of[first]] < 2
    # One entry for each case of each row of the table: its mean.
    pairs, place = np.unique(row_of * (units[-1] + 1) + unit_of, return_inverse=True)
    scores = np.bincount(place, weights=values) / np.bincount(place)
    row, alone = pairs // (units[-1] + 1), alone_units[pairs % (units[-1] + 1)]
    n = np.bincount(row, minlength=rows)
    mean = np.bincount(row, weights=scores, minlength=rows) / np.maximum(n, 1)
    apart = (scores - mean[row]) ** 2
    every = np.bincount(row, weights=apart, minlength=rows)
    single = np.bincount(row, weights=np.where(alone, apart, 0.0), minlength=rows)
    low, high = np.full(rows, np.inf), np.full(rows, -np.inf)
    np.minimum.at(low, row, scores)
    np.maximum.at(high, row, scores)
    cases = np.bincount(row[~alone], minlength=rows)
    differ = (n > 0) & (high - low > NO_WIDTH)
    return [
        CaseSpread(int(cases[i]), bool(differ[i]), bool(differ[i] and 2 * single[i] > every[i])) for i in range(rows)
    ]


def weakest(
    rows: Sequence[Mapping[str, Any]],
    overall: float | None,
    most: int = 3,
    number: Callable[[float], str] = "{:.1f}".format,
) -> tuple[list[Mapping[str, Any]], int]:
    """The rows of a table that are surely below the overall mean, lowest first; none where no interval says so.

    Rows that ``number`` writes alike are named together or not at all: the second value is how many share the lowest
    mean where these are more than ``most``.

    >>> row = {"n": 12}
    >>> low, high = row | {"key": "a", "mean": 2, "lo": 1, "hi": 4}, row | {"key": "b", "mean": 8, "lo": 6, "hi": 9}
    >>> [found["key"] for found in weakest([high, low], 5.0)[0]]
    ['a']
    >>> weakest([low], 2.0), weakest([low | {"lo": None, "hi": None}, high], 5.0), weakest([low] * 4 + [high], 5.0)
    (([], 0), ([], 0), ([], 4))
    """
    if overall is None or len(rows) < 2:
        return [], 0
    below = [row for row in rows if row.get("hi") is not None and row["hi"] < overall]
    named, tied = before_ties(
        sorted(below, key=lambda row: (row["mean"], row["key"])), lambda row: number(row["mean"]), most
    )
    if not tied:
        return named, 0
    lowest = number(min(row["mean"] for row in below))
    return [], sum(row["mean"] is not None and number(row["mean"]) == lowest for row in rows)


def before_ties(rows: Sequence[Row], figure: Callable[[Row], str], most: int = 3) -> tuple[list[Row], int]:
    """The first rows of a list in order, at most ``most``, and without a part of those that have the same figure.

    The second value is how many share the first figure, where these alone are too many to be named.

    >>> before_ties([1, 2, 3, 3, 3], str), before_ties([0, 0, 0, 0, 1], str), before_ties([5, 4, 3, 2], str)
    (([1, 2], 0), ([], 4), ([5, 4, 3], 0))
    """
    named: list[Row] = []
    for _, group in groupby(rows, figure):
        tied = list(group)
        if len(named) + len(tied) > most:
            return named, 0 if named else len(tied)
        named += tied
    return named, 0


def weakest_in_words(
    rows: Sequence[Mapping[str, Any]],
    overall: float | None,
    *,
    name: Callable[[str], str] = str,
    number: Callable[[float], str] = "{:.1f}".format,
    kind: str = "",
) -> str:
    """The weakest rows of a table with their means, or how many share the lowest; "" where none is surely weak.

    >>> row = {"n": 12, "lo": 0, "hi": 1}
    >>> few, many = ([row | {"key": f"task {i}", "mean": 0.0} for i in range(n)] for n in (2, 15))
    >>> weakest_in_words(few, 5.0), weakest_in_words(many, 5.0, kind="tasks")
    ('task 0 0.0 · task 1 0.0', '15 of 15 tasks at 0.0')
    """
    lowest, tied = weakest(rows, overall, number=number)
    if tied:
        least = min(row["mean"] for row in rows if row["mean"] is not None)
        return f"{tied} of {len(rows)} {kind}".rstrip() + f" at {number(least)}"
    return " · ".join(f"{name(row['key'])} {number(row['mean'])}" for row in lowest)
