"""How far off edits are, by task: medians of errors in pixels, degrees, percent and color, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from editscope.stats.diagnosis.averages import Interval
from editscope.stats.diagnosis.sizes import median_interval
from editscope.stats.small_groups import enough


@dataclass(frozen=True, slots=True)
class MedianError:
    """The median of an error over the ``n`` cases that it could be measured in, and the quartiles around it."""

    n: int
    median: Interval
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """The errors of the cases that share a tag, by name; without those that could not be measured in any of them."""

    key: str
    cases: int
    errors: Mapping[str, MedianError]


def median_error(values: Sequence[float | None]) -> MedianError | None:
    """The median of the values that there are; None where there is none. Fewer than five have no interval.

    >>> median_error([7.0, None, 7.0, 9.0])
    MedianError(n=3, median=Interval(mean=7.0, lo=None, hi=None), lower=7.0, upper=8.0)
    """
    known = np.array([value for value in values if value is not None], np.float64)
    if not known.size:
        return None
    lower, middle, upper = (float(value) for value in np.quantile(known, (0.25, 0.5, 0.75)))
    ends = median_interval(known) if enough(len(known)) else (None, None)
    return MedianError(len(known), Interval(middle, *ends), lower, upper)


def error_rows(
    keys: Sequence[str | None], columns: Mapping[str, Sequence[float | None]], order: Sequence[str] = ()
) -> tuple[ErrorRow, ...]:
    """One row for each key with at least one measured error, first those of ``order``; ``keys`` are those of cases.

    >>> rows = error_rows(["move", "move", "crop"], {"position": [7.0, 9.0, None]})
    >>> [(row.key, row.cases, row.errors["position"].median.mean) for row in rows]
    [('move', 2, 8.0)]
    """
    places: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        if key is not None:
            places.setdefault(key, []).append(place)
    ordered = [*(key for key in order if key in places), *(key for key in places if key not in order)]
    rows = []
    for key in ordered:
        errors = {
            name: error
            for name, values in columns.items()
            if (error := median_error([values[place] for place in places[key]])) is not None
        }
        if errors:
            rows.append(ErrorRow(key, len(places[key]), errors))
    return tuple(rows)
