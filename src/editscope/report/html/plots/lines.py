"""Lines over tolerances or bins: means, with intervals where there are any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from editscope.report.html.markup import Html, el
from editscope.report.html.plots.plotly_frame import DASHES, Json, axis, layout, run_color, shown

WIDTH, HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 36, 12, 8, 36


@dataclass(frozen=True, eq=False)
class Line:
    """One run's line; ``lows`` and ``highs`` bound it where an interval is known."""

    index: int
    name: str
    values: Sequence[float | None]
    lows: Sequence[float | None] = ()
    highs: Sequence[float | None] = ()
    link: str = ""
    tooltip: Sequence[str] = ()
    second: bool = False
    """Whether it is the second line of its run, drawn unlike the first."""


@dataclass(frozen=True, eq=False)
class LinePlot:
    """Lines over places 0, 1, 2 … that ``ticks`` names; ``log`` draws values on a logarithmic scale."""

    ticks: Sequence[str]
    lines: Sequence[Line]
    x_title: str
    y_title: str
    top: float | None = None
    log: bool = False
    marks: bool = False

    def traces(self) -> list[Json]:
        """One trace per line."""
        traces = []
        for line in self.lines:
            trace: Json = {
                "type": "scatter",
                "mode": "lines+markers",
                "name": shown(line.name),
                "x": list(range(len(self.ticks))),
                "y": [None if v is None else round(v, 3) for v in line.values],
                "line": {"color": run_color(line.index), "width": 2, "dash": DASHES[(line.index + line.second) % 4]},
                "marker": {"color": run_color(line.index), "size": 6 if self.marks else 4},
                "hovertemplate": "%{text}<extra>%{fullData.name}</extra>"
                if line.tooltip
                else f"%{{y:.1f}} at {shown(self.x_title)} %{{x}}<extra>%{{fullData.name}}</extra>",
            }
            if line.tooltip:
                trace["text"] = [shown(text) for text in line.tooltip]
            if line.link:
                trace["meta"] = line.link
            if line.lows:
                trace["error_y"] = {
                    "type": "data",
                    "symmetric": False,
                    "array": _gaps(line.highs, line.values),
                    "arrayminus": _gaps(line.values, line.lows),
                    "color": run_color(line.index, 0.6),
                    "thickness": 1.4,
                    "width": 3,
                }
            traces.append(trace)
        return traces

    def layout(self, height: int = 300) -> Json:
        """Axes to match."""
        vertical = axis(self.y_title)
        if self.log:
            vertical |= {"type": "log", "dtick": 1}
        elif self.top is not None:
            vertical |= {"range": [-0.02 * self.top, 1.03 * self.top]}
        ticks = list(range(len(self.ticks)))
        across = axis(self.x_title, tickvals=ticks, ticktext=[shown(t) for t in self.ticks], zeroline=False)
        return layout(height, xaxis=across, yaxis=vertical, showlegend=len(self.lines) > 1)

    def svg(self, label: str) -> Html:
        """The same as a drawing."""
        scale = _Scale.of(self)
        last = max(len(self.ticks) - 1, 1)

        def x(place: float) -> float:
            return LEFT + (WIDTH - LEFT - RIGHT) * place / last

        grid = [
            [
                el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=scale.y(at), y2=scale.y(at), cls="grid"),
                el("text", text, x=LEFT - 6, y=scale.y(at) + 3, cls="tick end"),
            ]
            for at, text in scale.ticks
        ]
        every = 1 if len(self.ticks) <= 6 else 5
        names = [
            el("text", text, x=x(i), y=HEIGHT - 20, cls="tick middle")
            for i, text in enumerate(self.ticks)
            if i % every == 0
        ]
        title = el("text", self.x_title, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 5, cls="tick middle")
        drawn = [self._drawn(line, x, scale) for line in self.lines]
        return el("svg", grid, names, title, drawn, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label)

    def _drawn(self, line: Line, x: Any, scale: _Scale) -> Html:
        there = [(i, v) for i, v in enumerate(line.values) if v is not None]
        points = " ".join(f"{x(i):.1f},{scale.y(v):.1f}" for i, v in there)
        bars = [
            el("line", x1=x(i), x2=x(i), y1=scale.y(low), y2=scale.y(high), cls="whisker")
            for i, (low, high) in enumerate(zip(line.lows, line.highs, strict=True))
            if low is not None and high is not None
        ]
        dots = [el("circle", cx=x(i), cy=scale.y(v), r=2.6, cls="dot") for i, v in there] if self.marks else []
        return el(
            "g",
            el("polyline", points=points, cls="line", stroke_dasharray="5 4" if line.second else None),
            bars,
            dots,
            el("title", line.name),
            cls=f"run{line.index % 8}",
        )


@dataclass(frozen=True)
class _Scale:
    """From values to heights of a drawing."""

    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, plot: LinePlot) -> _Scale:
        values = [v for line in plot.lines for v in (*line.values, *line.lows, *line.highs) if v is not None]
        if plot.log:
            positive = [v for v in values if v > 0] or [1.0]
            first, last = floor(log10(min(positive))), ceil(log10(max(positive)))
            last = max(last, first + 1)
            ticks = tuple((10.0**e, f"{10.0**e:g}") for e in range(first, last + 1))
            return cls(first, last, True, ticks)
        high = plot.top or max(values, default=1.0) or 1.0
        return cls(0.0, high, False, tuple((high * q / 4, f"{high * q / 4:.3g}") for q in range(5)))

    def y(self, value: float) -> float:
        at = log10(max(value, 10.0**self.low)) if self.log else value
        share = (at - self.low) / (self.high - self.low)
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(max(share, 0.0), 1.0))


def _gaps(upper: Sequence[float | None], lower: Sequence[float | None]) -> list[float]:
    return [0.0 if u is None or v is None else round(max(u - v, 0.0), 3) for u, v in zip(upper, lower, strict=True)]
