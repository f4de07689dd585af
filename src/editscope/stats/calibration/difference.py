"""Prediction-powered difference of two runs over the same cases, and how many labels would decide it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from editscope.errors import BadInput
from editscope.stats.calibration.influence import Influence, difference
from editscope.stats.calibration.mean import labels_needed, student
from editscope.stats.calibration.rows import labeled_rows
from editscope.stats.frame import Rows, column, column_names
from editscope.stats.summary import percent_scale

if TYPE_CHECKING:
    from editscope.cases import Aggregation


@dataclass(frozen=True, slots=True)
class CalibratedDifference:
    """How much higher people would score the second run than the first, with a 95 % interval, in percent.

    ``judged`` is the difference of the judge's means. ``labels`` is the smaller of the two runs' numbers of labeled
    cases, of ``cases`` that both runs have. ``labels_needed`` says how many labeled cases of each run would show a
    difference of this size; None where the interval leaves out 0 already, or not even labels on all cases would.
    """

    difference: float
    lo: float
    hi: float
    judged: float
    tuning: float
    labels: int
    cases: int
    labels_needed: int | None

    @property
    def decided(self) -> bool:
        """Whether the interval leaves out 0."""
        return not self.lo <= 0 <= self.hi


def calibrated_difference(
    first: Rows,
    second: Rows,
    aggregation: Aggregation,
    metric: str,
    *,
    match: Sequence[str] = ("case_id", "variant"),
    tuning: float | None = None,
    level: float = 0.95,
) -> CalibratedDifference:
    """The difference of two runs as people would see it, second less first, over the rows that both have.

    A case counts once: its influence on the difference is that on the second mean less that on the first, so that
    what the runs share cancels out, most of all where the same cases are labeled in both. Both runs have the same λ.
    """
    a, b = _shared(first, second, metric, match)
    rows = [labeled_rows(part, aggregation, metric) for part in (a, b)]
    both = difference(*map(Influence.of, rows))
    chosen = both.tuning if tuning is None else tuning
    scale = percent_scale(metric)
    variance, mean = both.variance(chosen), both.mean(chosen)
    reach = student(both.freedom(chosen), level) * sqrt(variance)
    judged = [float((one.weight * one.judged).sum()) for one in rows]
    labels, cases = min(one.labeled_cases for one in rows), min(one.cases for one in rows)
    decided = abs(mean) > reach
    needed = None if decided else labels_needed(mean, variance, both.label_variance(chosen), labels, cases)
    return CalibratedDifference(
        difference=round(scale * mean, 9),
        lo=round(scale * (mean - reach), 9),
        hi=round(scale * (mean + reach), 9),
        judged=round(scale * (judged[1] - judged[0]), 9),
        tuning=round(chosen, 9),
        labels=labels,
        cases=cases,
        labels_needed=needed,
    )


def _shared(first: Rows, second: Rows, metric: str, match: Sequence[str]) -> tuple[dict[str, list[object]], ...]:
    """The rows that both runs have, with a score in both, in the same order."""
    names = [name for name in match if name in column_names(first) and name in column_names(second)]
    places = [_places(rows, names, metric) for rows in (first, second)]
    keys = [key for key in places[0] if key in places[1]]
    if not keys:
        raise BadInput(f"no case has a {metric!r} in both runs, so there is nothing to compare")
    chosen = [[place[key] for key in keys] for place in places]
    return tuple(
        {name: [values[place] for place in mine] for name in column_names(rows) for values in (column(rows, name),)}
        for rows, mine in zip((first, second), chosen, strict=True)
    )


def _places(rows: Rows, names: Sequence[str], metric: str) -> dict[tuple[object, ...], int]:
    keys = zip(*(column(rows, name) for name in names), strict=True)
    known = column(rows, metric)
    return {key: place for place, key in enumerate(keys) if known[place] is not None}
