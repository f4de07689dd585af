"""Quality against what an edit costs and how long it takes, run by run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from editscope.report.figure_data.groups import overall_mean
from editscope.report.model import Cell, RunView, Sheet
from editscope.results.speed import speed

Speed: TypeAlias = Mapping[str, Any]

WIDE = 20
"""Runs that are so many times apart stand on a logarithmic axis."""
DOLLARS, SECONDS = "US dollars per edit", "Seconds per edit (median)"
MILLISECONDS = "Milliseconds per edit (median)"
SHORTEST = 0.001
"""Seconds: where no edit takes longer, nothing but the clock is measured."""


@dataclass(frozen=True, eq=False)
class QualityPoint:
    """A run with what an edit of it takes, in dollars or seconds, and the cell of its headline metric."""

    view: RunView
    x: float
    cell: Cell


def speed_of(view: RunView) -> Speed | None:
    """What a run says of its editor's time and money; of an older run, from its journal."""

    def make() -> Speed | None:
        if "speed" in view.summary:
            return view.summary["speed"]  # type: ignore[no-any-return]
        return speed(view.run.edits().values())

    return view.once("speed", make)


def quality_by_price(sheet: Sheet) -> list[QualityPoint]:
    """Every run whose edits have a known price."""
    return _points(sheet, lambda known: known["cost_usd"]["mean"] if "cost_usd" in known and known["edits"] else None)


def quality_by_time(sheet: Sheet) -> list[QualityPoint]:
    """Every run whose edits were timed; none where all are as short as the clock can tell."""
    points = _points(sheet, lambda known: known["latency_s"]["p50"] if "latency_s" in known else None)
    return points if any(point.x > SHORTEST for point in points) else []


def timed(points: Sequence[QualityPoint]) -> tuple[str, float]:
    """The title of the axis of time, and by how much seconds are multiplied on it: small ones are milliseconds."""
    short = max((point.x for point in points), default=1.0) < 1
    return (MILLISECONDS, 1000.0) if short else (SECONDS, 1.0)


def _points(sheet: Sheet, read: Callable[[Speed], float | None]) -> list[QualityPoint]:
    points = []
    for view in sheet.runs:
        known, cell = speed_of(view), overall_mean(sheet, view)
        x = None if known is None else read(known)
        if x is not None and cell is not None:
            points.append(QualityPoint(view, float(x), cell))
    return points


def is_wide(xs: Sequence[float]) -> bool:
    """Whether runs are so far apart that they need a logarithmic axis."""
    return min(xs) > 0 and max(xs) > WIDE * min(xs)


def frontier(points: Sequence[tuple[float, float]]) -> list[int]:
    """Places of the points than which no other is both further left and higher up, from left to right.

    There are none where one alone is the best of all.

    >>> frontier([(1, 50), (2, 40), (3, 80)]), frontier([(1, 50), (2, 40)])
    ([0, 2], [])
    """
    best: list[int] = []
    for place in sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1])):
        if not best or points[place][1] > points[best[-1]][1]:
            best.append(place)
    return best if len(best) > 1 else []
