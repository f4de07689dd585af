"""Small groups: how many cases an interval, an effect size or a verdict needs, and what may be called weakest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from editscope.stats.frame import MeanTable

LEAST_CASES = 5
"""With fewer cases a mean stands without an interval, and a difference without a verdict and an effect size.

The percentile bootstrap of four cases covers its 95 % far less often, and no sign-flip test of four can reach 0.05.
"""
FEW = "few_cases"
"""The key of a cell without an interval: how many cases there were to resample."""


def enough(cases: int) -> bool:
    """Whether so many cases can carry an interval.

    >>> enough(4), enough(5)
    (False, True)
    """
    return cases >= LEAST_CASES


def leaves_out(lo: float | None, hi: float | None, at: float = 0.0) -> bool:
    """Whether there is an interval, and a value lies outside it.

    >>> leaves_out(1.0, 2.0), leaves_out(-1.0, 2.0), leaves_out(None, None)
    (True, False, False)
    """
    return lo is not None and hi is not None and not lo <= at <= hi


def is_few(cell: Mapping[str, Any]) -> bool:
    """Whether a cell of summary.json has a mean but too few cases for an interval."""
    return FEW in cell and cell["mean"] is not None


def few_in_words(cell: Mapping[str, Any]) -> str:
    """Why a cell has no interval, in brackets; "" where it has one.

    >>> few_in_words({"mean": 3.5, "n": 3, "few_cases": 3}), few_in_words({"mean": 3.5, "n": 12, "few_cases": 2})
    (' (n = 3, too few for an interval)', ' (n = 12, too few in each group for an interval)')
    """
    where = " in each group" if enough(cell["n"]) else ""
    return f" (n = {cell['n']:,}, too few{where} for an interval)" if is_few(cell) else ""


def resampled_cases(table: MeanTable) -> NDArray[np.intp]:
    """How many cases the interval of each row and metric resamples: rows × metrics.

    A case counts once, however many questions or variants it has. One that is alone in its stratum is in every
    resample as it is, so that it adds nothing to the interval and does not count.
    """
    frame, row_of = table.frame, table.hierarchy.row_of
    units = range(len(frame.values)) if frame.units is None else frame.units
    number: dict[Any, int] = {}
    unit = np.array([number.setdefault(name, len(number)) for name in units], dtype=np.intp)
    strata = frame.strata
    together = Counter(dict(zip(unit.tolist(), strata, strict=True)).values())
    counts = np.zeros((len(table.keys), frame.values.shape[1]), dtype=np.intp)
    shared = np.array([together[stratum] > 1 for stratum in strata], dtype=np.bool_) & (row_of >= 0)
    for metric in range(frame.values.shape[1]):
        here = shared & np.isfinite(frame.values[:, metric])
        pairs = np.unique(row_of[here] * max(len(number), 1) + unit[here])
        counts[:, metric] = np.bincount(pairs // max(len(number), 1), minlength=len(counts))
    return counts


def weakest(rows: Sequence[Mapping[str, Any]], overall: float | None, most: int = 3) -> list[Mapping[str, Any]]:
    """The rows of a table that are surely below the overall mean, lowest first; none where no interval says so.

    >>> row = {"n": 12}
    >>> low, high = row | {"key": "a", "mean": 2, "lo": 1, "hi": 4}, row | {"key": "b", "mean": 8, "lo": 6, "hi": 9}
    >>> [found["key"] for found in weakest([high, low], 5.0)]
    ['a']
    >>> weakest([low], 2.0), weakest([low | {"lo": None, "hi": None}, high], 5.0)
    ([], [])
    """
    if overall is None or len(rows) < 2:
        return []
    below = [row for row in rows if row.get("hi") is not None and row["hi"] < overall]
    return sorted(below, key=lambda row: (row["mean"], row["key"]))[:most]
