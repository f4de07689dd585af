"""Points in a plane: models on two suites with their line of fit, quality against time or cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import TypeAlias

from editscope.report.figure_data.correlation import diagonal
from editscope.report.figure_data.cost import frontier
from editscope.report.html.markup import Html, el
from editscope.report.html.plots.dots import round_ticks
from editscope.report.html.plots.plotly_frame import MARKS, Json, axis, layout, run_color, shown

NARROW = (250.0, 290.0)
"""The room for points in the window of a phone, in pixels."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 340, 46, 20, 12, 40


@dataclass(frozen=True, eq=False)
class Mark:
    """A point; ``index`` is the run it is, or None for a published row; ``lo`` and ``hi`` are the ends of its interval
    upwards, where it has one."""

    x: float
    y: float
    name: str
    tooltip: str
    index: int | None = None
    link: str = ""
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True, eq=False)
class Scatter:
    """Points, and where there is a fit its line as (x, y, low, high) from left to right.

    ``frontier`` draws the staircase below which nobody need stay: through the points than which no other is both
    further left and higher up. ``diagonal`` draws the line y = x, where both axes have one scale. ``x_text`` writes
    the values of a logarithmic axis; ``x_zero`` begins the other kind at 0.
    """

    marks: Sequence[Mark]
    x_title: str
    y_title: str
    fit: Sequence[tuple[float, float, float, float]] = ()
    x_log: bool = False
    frontier: bool = False
    diagonal: bool = False
    x_text: Callable[[float], str] = "{:g}".format
    x_zero: bool = False

    def best(self) -> list[Mark]:
        """The points of the frontier, from left to right; none where one alone is the best of all.

        >>> marks = [Mark(1, 50, "fast", ""), Mark(2, 40, "worse", ""), Mark(3, 80, "good", "")]
        >>> [mark.name for mark in Scatter(marks, "s", "%", frontier=True).best()]
        ['fast', 'good']
        """
        best = frontier([(mark.x, mark.y) for mark in self.marks]) if self.frontier else []
        return [self.marks[place] for place in best]

    def _stairs(self) -> list[tuple[float, float]]:
        best = self.best()
        steps = [[(a.x, a.y), (b.x, a.y)] for a, b in pairwise(best)]
        return [point for step in steps for point in step] + [(m.x, m.y) for m in best[-1:]]

    def traces(self) -> list[Json]:
        """The band, the line, then the points."""
        traces: list[Json] = []
        if self.fit:
            xs = [round(p[0], 3) for p in self.fit]
            band = [round(p[3], 3) for p in self.fit] + [round(p[2], 3) for p in reversed(self.fit)]
            traces.append(
                {
                    "type": "scatter",
                    "x": xs + xs[::-1],
                    "y": band,
                    "fill": "toself",
                    "fillcolor": "@accent/0.12",
                    "line": {"width": 0},
                    "mode": "lines",
                    "hoverinfo": "skip",
                    "showlegend": False,
                }
            )
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": xs,
                    "y": [round(p[1], 3) for p in self.fit],
                    "line": {"color": "@accent", "width": 2},
                    "hoverinfo": "skip",
                    "showlegend": False,
                }
            )
        if equal := self._equal():
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": "y = x",
                    "x": list(equal),
                    "y": list(equal),
                    "line": {"color": "@faint", "width": 1.5, "dash": "dot"},
                    "hovertemplate": "y = x: as good at one as at the other<extra></extra>",
                    "showlegend": False,
                }
            )
        if stairs := self._stairs():
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [a for a, _ in stairs],
                    "y": [b for _, b in stairs],
                    "line": {"color": "@accent", "width": 1.5, "dash": "dot"},
                    "hoverinfo": "skip",
                    "showlegend": False,
                }
            )
        places, narrow = self.label_places(), self.label_places(*NARROW)
        colors = ["@faint" if m.index is None else run_color(m.index) for m in self.marks]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "cliponaxis": False,
                "x": [m.x for m in self.marks],
                "y": [m.y for m in self.marks],
                **self._names(places),
                "narrow": self._names(narrow),
                "textfont": {"size": 11, "color": "@soft"},
                "hovertext": [shown(m.tooltip).replace("\n", "<br>") for m in self.marks],
                "hovertemplate": "%{hovertext}<extra></extra>",
                "customdata": [m.link for m in self.marks],
                **self._bars(),
                "marker": {
                    "size": 10,
                    "color": colors,
                    "symbol": ["circle-open" if m.index is None else MARKS[m.index % 8] for m in self.marks],
                    "line": {"width": 2, "color": colors},
                },
                "showlegend": False,
            }
        )
        return traces

    def _names(self, places: Sequence[str]) -> Json:
        return {
            "text": [shown(m.name) if place else "" for m, place in zip(self.marks, places, strict=True)],
            "textposition": [place or "top center" for place in places],
        }

    def _equal(self) -> tuple[float, float] | None:
        """From where to where the line y = x runs, inside the room of the points."""
        if not self.diagonal or not self.marks:
            return None
        across, up = _room([m.x for m in self.marks]), _room([m.y for m in self.marks])
        line = diagonal(across, up)
        return None if line is None else (round(line[0], 3), round(line[1], 3))

    def _bars(self) -> Json:
        """The intervals of the points, if any has one."""
        if all(m.lo is None or m.hi is None for m in self.marks):
            return {}
        up = [0.0 if m.hi is None else round(m.hi - m.y, 3) for m in self.marks]
        down = [0.0 if m.lo is None else round(m.y - m.lo, 3) for m in self.marks]
        bars = {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "color": "@faint"}
        return {"error_y": bars | {"thickness": 1.2, "width": 0}}

    def label_places(self, width: float = 900.0, height: float = 330.0) -> list[str]:
        """Where each name stands so that none lies over another; empty where there is no room for it."""
        across = [self._across(m.x) for m in self.marks]
        (x0, x1), (y0, y1) = self._x_room(across), _room([m.y for m in self.marks])
        at = [
            (width * (a - x0) / (x1 - x0), height * (y1 - m.y) / (y1 - y0))
            for a, m in zip(across, self.marks, strict=True)
        ]
        taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in at]
        corners = [
            (width * (self._across(a) - x0) / (x1 - x0), height * (y1 - b) / (y1 - y0)) for a, b in self._stairs()
        ]
        lines = [(min(a, c) - 1, min(b, d) - 1, max(a, c) + 1, max(b, d) + 1) for (a, b), (c, d) in pairwise(corners)]
        places = [""] * len(self.marks)
        # Runs first: they are what the report is about.
        for i in sorted(range(len(self.marks)), key=lambda i: (self.marks[i].index is None, at[i])):
            wide = 6.0 * len(self.marks[i].name)
            boxes = _boxes(*at[i], wide)
            if self.marks[i].lo is not None:  # above and below it is the interval
                sides = ("middle left", "middle right", "top center", "bottom center")
                # Towards the middle, where there is room in a narrow window too.
                boxes = {place: boxes[place] for place in (sides if at[i][0] > width / 2 else sides[1::-1] + sides[2:])}
            free = {place: box for place, box in boxes.items() if not any(_overlap(box, other) for other in taken)}
            inside = [place for place, box in free.items() if box[0] >= 0 and box[2] <= width + RIGHT]
            # Where there is a choice, no line runs through a name; only a run's may leave the plot.
            clear = [place for place in inside if not any(_overlap(free[place], line) for line in lines)]
            outside = free if self.marks[i].index is not None else ()
            if chosen := next(iter([*clear, *inside, *outside]), ""):
                places[i] = chosen
                taken.append(boxes[chosen])
        return places

    def _x_room(self, values: Sequence[float]) -> tuple[float, float]:
        """From where to where the axis across reaches."""
        if self.x_zero and not self.x_log:
            return 0.0, 1.08 * max(values, default=1.0) or 1.0
        return _room(values)

    def _across(self, value: float) -> float:
        return log10(value) if self.x_log else value

    def _ticks(self, low: float, high: float) -> list[float]:
        """Round values for the axis across, whose ends are given as they lie on it."""
        if not self.x_log:
            return list(round_ticks(low, high))
        powers = [m * 10.0**e for e in range(floor(low), ceil(high) + 1) for m in (1, 2, 5)]
        inside = [value for value in powers if low <= log10(value) <= high]
        return inside if len(inside) <= 8 else [value for value in inside if log10(value) == round(log10(value))]

    def layout(self, height: int = 400) -> Json:
        """Axes with some room for the names."""
        across = axis(self.x_title, zeroline=False)
        if self.x_log:
            ticks = self._ticks(*_room([self._across(m.x) for m in self.marks]))
            across |= {"type": "log", "tickvals": ticks, "ticktext": [self.x_text(at) for at in ticks]}
        elif self.x_zero:
            across |= {"range": list(self._x_room([m.x for m in self.marks]))}
        return layout(height, xaxis=across, yaxis=axis(self.y_title, zeroline=False), showlegend=False)

    def svg(self, label: str) -> Html:
        """The same as a drawing."""
        xs = [self._across(m.x) for m in self.marks] + [p[0] for p in self.fit]
        ys = [v for m in self.marks for v in (m.y, m.lo, m.hi) if v is not None] + [v for p in self.fit for v in p[1:]]
        (x0, x1), (y0, y1) = self._x_room(xs), _room(ys)

        def x(value: float) -> float:
            return round(LEFT + (WIDTH - LEFT - RIGHT) * (self._across(value) - x0) / (x1 - x0), 1)

        def y(value: float) -> float:
            return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - y0) / (y1 - y0)), 1)

        bottom = HEIGHT - BOTTOM
        written = self.x_text if self.x_log else "{:g}".format
        grid = [
            [
                el("line", x1=x(at), x2=x(at), y1=TOP, y2=bottom, cls="grid"),
                el("text", written(at), x=x(at), y=bottom + 14, cls="tick middle"),
            ]
            for at in self._ticks(x0, x1)
        ]
        grid += [
            [
                el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(at), y2=y(at), cls="grid"),
                el("text", f"{at:g}", x=LEFT - 6, y=y(at) + 3, cls="tick end"),
            ]
            for at in round_ticks(y0, y1)
        ]
        band = [(p[0], p[3]) for p in self.fit] + [(p[0], p[2]) for p in reversed(self.fit)]
        shape = el("polygon", points=" ".join(f"{x(a)},{y(b)}" for a, b in band), cls="fit-band") if band else None
        line = el("polyline", points=" ".join(f"{x(p[0])},{y(p[1])}" for p in self.fit), cls="fit") if band else None
        stairs = " ".join(f"{x(a)},{y(b)}" for a, b in self._stairs())
        line = el("polyline", points=stairs, cls="frontier") if stairs else line
        equal = self._equal()
        dotted = el("polyline", points=" ".join(f"{x(v)},{y(v)}" for v in equal), cls="equal") if equal else None
        places = self.label_places(WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM)
        marks = [
            el(
                "g",
                el("line", x1=x(m.x), x2=x(m.x), y1=y(m.lo), y2=y(m.hi), cls="whisker")
                if m.lo is not None and m.hi is not None
                else None,
                el("circle", cx=x(m.x), cy=y(m.y), r=4.5, cls="dot open" if m.index is None else "dot"),
                _name(m.name, place, x(m.x), y(m.y)),
                el("title", m.tooltip),
                cls="published" if m.index is None else f"run{m.index % 8}",
            )
            for m, place in zip(self.marks, places, strict=True)
        ]
        titles = [
            el("text", self.x_title, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 6, cls="tick middle"),
            el("text", self.y_title, x=6, y=TOP + 2, cls="tick"),
        ]
        box = f"0 -8 {WIDTH} {HEIGHT + 8}"
        return el("svg", grid, dotted, shape, line, marks, titles, viewBox=box, role="img", aria_label=label)


Box: TypeAlias = tuple[float, float, float, float]


def _boxes(x: float, y: float, wide: float) -> dict[str, Box]:
    """Where a name of this width could stand around a point."""
    return {
        "top center": (x - wide / 2, y - 20, x + wide / 2, y - 7),
        "bottom center": (x - wide / 2, y + 7, x + wide / 2, y + 20),
        "middle left": (x - 9 - wide, y - 7, x - 9, y + 7),
        "middle right": (x + 9, y - 7, x + 9 + wide, y + 7),
    }


def _overlap(a: Box, b: Box) -> bool:
    """Whether two boxes have a place in common.

    >>> _overlap((0, 0, 2, 2), (1, 1, 3, 3)), _overlap((0, 0, 1, 1), (1, 1, 2, 2))
    (True, False)
    """
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _name(text: str, place: str, x: float, y: float) -> Html | None:
    if not place:
        return None
    dx, dy, side = {
        "top center": (0, -8, " middle"),
        "bottom center": (0, 16, " middle"),
        "middle right": (8, 4, ""),
        "middle left": (-8, 4, " end"),
    }[place]
    return el("text", text, x=x + dx, y=y + dy, cls=f"tick{side}")


def _room(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room
