"""Dots with intervals in rows: scores by task, effects of conditions, differences between runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.report.html.markup import Html, el
from editscope.report.html.plots.plotly_frame import MARKS, Json, axis, layout, run_color, shown

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 640, 190, 14, 6, 34
FADED = 0.6


@dataclass(frozen=True, eq=False)
class Point:
    """A figure with its interval, what to say of it, and where it leads.

    ``strong`` fills its mark; ``faint`` fades it, where too few cases are behind it.
    """

    mean: float
    lo: float | None
    hi: float | None
    tooltip: str
    link: str = ""
    strong: bool = True
    faint: bool = False


@dataclass(frozen=True, eq=False)
class Dots:
    """Rows of points, one series per run; ``span`` is the range of the axis where it is known beforehand.

    ``lines`` are vertical rules: a value, and the run whose color it has, or None for a neutral one. The first
    ``bold`` rows sum up the others.
    """

    labels: Sequence[str]
    series: Sequence[tuple[int, str, Sequence[Point | None]]]
    title: str
    span: tuple[float, float] | None = None
    lines: Sequence[tuple[float, int | None]] = ()
    bold: int = 0
    joined: bool = False
    """Whether a row's points lie on one line, which joins them: before and after."""

    @property
    def pitch(self) -> float:
        """The height of a row in pixels."""
        return 22.0 if self.joined else max(22.0, 11.0 * len(self.series) + 8.0)

    def _offset(self, place: int) -> float:
        """Where in its row, from -0.5 to 0.5, the series stands."""
        return 0.0 if self.joined or len(self.series) == 1 else ((place + 0.5) / len(self.series) - 0.5) * 0.72

    def range(self) -> tuple[float, float]:
        """From where to where the axis goes."""
        if self.span:
            return self.span
        points = [p for _, _, row in self.series for p in row if p]
        ends = [v for p in points for v in (p.mean, p.lo, p.hi) if v is not None] + [at for at, _ in self.lines]
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        room = 0.06 * (high - low or 1.0)
        return low - room, high + room

    def traces(self) -> list[Json]:
        """One trace per series, after one for the lines that join them."""
        traces: list[Json] = [self._joints()] if self.joined else []
        for place, (index, name, points) in enumerate(self.series):
            there = [(i, p) for i, p in enumerate(points) if p]
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "cliponaxis": False,
                    "name": shown(name),
                    "x": [round(p.mean, 3) for _, p in there],
                    "y": [round(i + self._offset(place), 3) for i, _ in there],
                    "text": [shown(p.tooltip).replace("\n", "<br>") for _, p in there],
                    "customdata": [p.link for _, p in there],
                    "error_x": {
                        "type": "data",
                        "symmetric": False,
                        "array": [round(max((p.mean if p.hi is None else p.hi) - p.mean, 0), 3) for _, p in there],
                        "arrayminus": [round(max(p.mean - (p.mean if p.lo is None else p.lo), 0), 3) for _, p in there],
                        "color": run_color(index, 0.55),
                        "thickness": 2,
                        "width": 0,
                    },
                    "marker": {
                        "color": [run_color(index, FADED) if p.faint else run_color(index) for _, p in there],
                        "size": 8,
                        "symbol": [MARKS[index % 8] + ("" if p.strong else "-open") for _, p in there],
                    },
                    "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
                }
            )
        return traces

    def _joints(self) -> Json:
        rows = [(i, [row[i] for _, _, row in self.series]) for i in range(len(self.labels))]
        ends = [(i, [point.mean for point in points if point]) for i, points in rows]
        x = [value for _, means in ends if means for value in (round(min(means), 3), round(max(means), 3), None)]
        y = [place for i, means in ends if means for place in (i, i, None)]
        color = run_color(self.series[-1][0], 0.25)
        line = {"color": color, "width": 5}
        return {
            "type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip", "showlegend": False
        }  # fmt: skip

    def layout(self) -> Json:
        """Axes to match; rows run from top to bottom."""
        places = list(range(len(self.labels)))
        down = axis(
            tickvals=places,
            ticktext=[f"<b>{shown(t)}</b>" if i < self.bold else shown(t) for i, t in enumerate(self.labels)],
            range=[len(self.labels) - 0.4, -0.6],
            zeroline=False,
            ticklabelposition="outside",
        )
        rules = [
            {
                "type": "line",
                "x0": at,
                "x1": at,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "layer": "below",
                "line": {"color": "@faint" if of is None else run_color(of), "width": 1.2, "dash": "dot"},
            }
            for at, of in self.lines
        ]
        height = round(self.pitch * len(self.labels)) + 96
        return layout(
            height,
            xaxis=axis(self.title, range=list(self.range()), zeroline=False),
            yaxis=down,
            shapes=rules,
            showlegend=len(self.series) > 1,
        )

    def svg(self, label: str) -> Html:
        """The same as a drawing."""
        low, high = self.range()
        height = TOP + self.pitch * len(self.labels) + BOTTOM

        def x(value: float) -> float:
            share = (value - low) / ((high - low) or 1.0)
            return round(LEFT + (WIDTH - LEFT - RIGHT) * min(max(share, 0.0), 1.0), 1)

        bottom = height - BOTTOM
        grid = [
            [
                el("line", x1=x(at), x2=x(at), y1=TOP, y2=bottom, cls="grid"),
                el("text", f"{at:g}", x=x(at), y=bottom + 14, cls="tick middle"),
            ]
            for at in round_ticks(low, high)
        ]
        rules = [
            el("line", x1=x(at), x2=x(at), y1=TOP, y2=bottom, cls="rule" if of is None else f"rule run{of % 8}")
            for at, of in self.lines
        ]
        names = [
            el(
                "text",
                text,
                x=LEFT - 8,
                y=round(TOP + self.pitch * (i + 0.5) + 4, 1),
                cls=f"row-name end{' bold' if i < self.bold else ''}",
            )
            for i, text in enumerate(self.labels)
        ]
        title = el("text", self.title, x=(LEFT + WIDTH - RIGHT) / 2, y=height - 4, cls="tick middle")
        drawn = [self._drawn(place, x) for place in range(len(self.series))]
        joints = self._joints() if self.joined else {"x": (), "y": ()}
        pairs = list(zip(joints["x"][::3], joints["x"][1::3], joints["y"][::3], strict=True))
        names += [
            el("line", x1=x(a), x2=x(b), y1=at, y2=at, cls=f"joint run{self.series[-1][0] % 8}")
            for a, b, i in pairs
            if (at := round(TOP + self.pitch * (i + 0.5), 1))
        ]
        size = f"0 0 {WIDTH} {height:g}"
        return el("svg", grid, rules, names, title, drawn, viewBox=size, role="img", aria_label=label)

    def _drawn(self, place: int, x: object) -> Html:
        index, name, points = self.series[place]
        assert callable(x)
        marks = []
        for i, point in enumerate(points):
            if point is None:
                continue
            y = round(TOP + self.pitch * (i + 0.5 + self._offset(place)), 1)
            if point.lo is not None and point.hi is not None:
                marks.append(el("line", x1=x(point.lo), x2=x(point.hi), y1=y, y2=y, cls="whisker"))
            look = f"dot{'' if point.strong else ' open'}{' faint' if point.faint else ''}"
            marks.append(el("circle", cx=x(point.mean), cy=y, r=3.6, cls=look))
        return el("g", el("title", name), marks, cls=f"run{index % 8}")


def round_ticks(low: float, high: float) -> list[float]:
    """Three to eight round numbers between two others.

    >>> round_ticks(-3.2, 11.0), round_ticks(0, 100)
    ([-2.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [0.0, 20.0, 40.0, 60.0, 80.0, 100.0])
    """
    from math import ceil, floor, log10

    low, high = sorted((low, high))  # the worst of a scale may be its larger end
    width = (high - low) or 1.0
    power = 10.0 ** floor(log10(width))
    step = next(power * f for f in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0) if width / (power * f) <= 8)
    return [round(step * k, 9) + 0.0 for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
