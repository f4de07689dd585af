"""Curves over the steps of a training: every value faintly, and a line through them that shows where they go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10

from editscope.report.html.markup import Html, el
from editscope.report.html.plots.dots import round_ticks
from editscope.report.html.plots.plotly_frame import DASHES, Json, axis, layout, run_color, shown

WIDTH, HEIGHT = 380, 280
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 10, 36
MOST_POINTS = 400
"""How many points of a curve are drawn; of more, neighbors become their mean."""
SMOOTH_FROM = 30
"""From how many points on a line through them is worth drawing."""
MOST_DECADES, MOST_TICKS = 12, 7
LARGEST = 1e200
"""Where an axis ends at the latest."""


@dataclass(frozen=True, eq=False)
class StepCurve:
    """The values of one name with their steps; ``index`` is its color."""

    index: int
    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class StepCurves:
    """Curves over steps; ``rules`` are steps with a dotted line and what happened there.

    ``log`` draws values on a logarithmic scale, where all are above 0; ``smooth`` draws the running mean of many
    values over them, ``marks`` every value as a dot.
    ``low`` and ``high`` are ends that the axis has at least.
    """

    curves: Sequence[StepCurve]
    y_title: str
    rules: Sequence[tuple[int, str]] = ()
    log: bool = False
    smooth: bool = True
    marks: bool = False
    low: float | None = None
    high: float | None = None

    @property
    def logarithmic(self) -> bool:
        """Whether the scale is logarithmic: it is asked for and can be."""
        return self.log and all(value > 0 for curve in self.curves for _, value in curve.points)

    def traces(self) -> list[Json]:
        """Of each curve its values, and the line through them where there are many."""
        traces: list[Json] = []
        for curve in self.curves:
            points = thinned(curve.points)
            line = smoothed(points) if self.smooth else []
            main = line or points
            if line:
                traces.append(self._trace(curve, points) | {"opacity": 0.3, "hoverinfo": "skip", "showlegend": False})
            mode = "lines+markers" if self.marks or len(main) == 1 else "lines"
            style = {"color": run_color(curve.index), "width": 2, "dash": DASHES[curve.index % 4]}
            traces.append(self._trace(curve, main) | {"mode": mode, "line": style})
        return traces

    def layout(self, height: int = 280) -> Json:
        """Axes to match, and the dotted lines."""
        vertical = axis(self.y_title, zeroline=False)
        if self.logarithmic:
            ticks = self._ticks(*self._room())
            vertical |= {"type": "log", "tickvals": ticks, "ticktext": [f"{at:.3g}" for at in ticks]}
        else:
            vertical |= {"range": list(self._room()), "exponentformat": "e"}
        rules = [
            {
                "type": "line",
                "x0": step,
                "x1": step,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": "@faint", "width": 1.2, "dash": "dot"},
            }
            for step, _ in self.rules
        ]
        across = axis("step", zeroline=False, rangemode="tozero")
        return layout(height, xaxis=across, yaxis=vertical, shapes=rules, showlegend=len(self.curves) > 1)

    def svg(self, label: str) -> Html:
        """The same as a drawing."""
        steps = [step for curve in self.curves for step, _ in curve.points] or [0.0]
        first, last = min(0.0, *steps), max(steps) or 1.0
        low, high = self._room()

        def x(step: float) -> float:
            return round(LEFT + (WIDTH - LEFT - RIGHT) * (step - first) / (last - first), 1)

        def y(value: float) -> float:
            at = log10(value) if self.logarithmic else value
            return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max((at - low) / (high - low), 0.0), 1.0)), 1)

        bottom = HEIGHT - BOTTOM
        grid = [
            [
                el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(at), y2=y(at), cls="grid"),
                el("text", f"{at:.3g}", x=LEFT - 6, y=y(at) + 3, cls="tick end"),
            ]
            for at in self._ticks(low, high)
        ]
        names = [
            el("text", f"{at:,.12g}", x=x(at), y=bottom + 15, cls="tick middle") for at in round_ticks(first, last)[::2]
        ]
        title = el("text", "step", x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 4, cls="tick middle")
        rules = [
            el("g", el("line", x1=x(at), x2=x(at), y1=TOP, y2=bottom, cls="rule"), el("title", what))
            for at, what in self.rules
            if first <= at <= last
        ]
        drawn = []
        for curve in self.curves:
            points = thinned(curve.points)
            line = smoothed(points) if self.smooth else []
            faint = el("polyline", points=_path(points, x, y), cls="line values") if line else None
            dots = (
                [el("circle", cx=x(a), cy=y(b), r=3, cls="dot") for a, b in points]
                if self.marks or len(points) == 1
                else []
            )
            path = el("polyline", points=_path(line or points, x, y), cls="line")
            drawn.append(el("g", faint, path, dots, el("title", curve.name), cls=f"run{curve.index % 8}"))
        box = f"0 0 {WIDTH} {HEIGHT}"
        return el("svg", grid, names, title, rules, drawn, viewBox=box, role="img", aria_label=label)

    def _trace(self, curve: StepCurve, points: Sequence[tuple[float, float]]) -> Json:
        return {
            "type": "scatter",
            "mode": "lines",
            "name": shown(curve.name),
            "x": [_short(step) for step, _ in points],
            "y": [_short(value) for _, value in points],
            "line": {"color": run_color(curve.index), "width": 1},
            "marker": {"color": run_color(curve.index), "size": 7},
            "hovertemplate": "%{y:.4g} at step %{x:,.0f}<extra>%{fullData.name}</extra>",
        }

    def _room(self) -> tuple[float, float]:
        """From where to where the axis upwards reaches; in powers of ten where it is logarithmic."""
        values = [min(max(value, -LARGEST), LARGEST) for curve in self.curves for _, value in curve.points]
        if self.logarithmic and values:
            powers = [log10(value) for value in values]
            low, high = max(min(powers), max(powers) - MOST_DECADES), max(powers)
            room = 0.06 * (high - low) or 0.5
            return low - room, high + room
        low = min([*values, *([] if self.low is None else [self.low])], default=0.0)
        high = max([*values, *([] if self.high is None else [self.high])], default=1.0)
        room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
        return (low - 0.3 * room if self.low is not None and low >= self.low else low - room), high + room

    def _ticks(self, low: float, high: float) -> list[float]:
        """Round values between the ends of the axis."""
        if not self.logarithmic:
            return round_ticks(low, high)
        powers = [10.0**power for power in range(ceil(low), floor(high) + 1)]
        if len(powers) >= 3 or high > log10(LARGEST) or low < -log10(LARGEST):
            return powers[:: ceil(len(powers) / MOST_TICKS) or 1]
        return [at for at in round_ticks(10.0**low, 10.0**high) if at > 0 and low <= log10(at) <= high]


def thinned(points: Sequence[tuple[float, float]], most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """At most so many points: neighbors become one with the mean of their steps and values.

    >>> thinned([(1, 4.0), (2, 2.0), (3, 1.0), (4, 3.0)], most=2)
    [(1.5, 3.0), (3.5, 2.0)]
    """
    if len(points) <= most:
        return [(float(step), float(value)) for step, value in points]
    ends = [len(points) * place // most for place in range(most + 1)]
    lots = [points[start:end] for start, end in pairwise(ends)]
    return [(sum(a for a, _ in lot) / len(lot), sum(b for _, b in lot) / len(lot)) for lot in lots]


def smoothed(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The running mean over a twentieth of the points; empty where there are few.

    >>> smoothed([(1, 1.0), (2, 2.0)])
    []
    """
    if len(points) < SMOOTH_FROM:
        return []
    half = max(1, len(points) // 40)
    line = []
    for place, (step, _) in enumerate(points):
        lot = [value for _, value in points[max(0, place - half) : place + half + 1]]
        line.append((step, sum(lot) / len(lot)))
    return line


def _path(points: Sequence[tuple[float, float]], x: Callable[[float], float], y: Callable[[float], float]) -> str:
    return " ".join(f"{x(a)},{y(b)}" for a, b in points)


def _short(number: float) -> float:
    """A number with as many digits as can be seen."""
    return float(f"{number:.6g}")
