"""Bars with intervals in rows: parts of a table side by side, such as single and multi-image inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.report.html.markup import Html, el
from editscope.report.html.plots.dots import Point, round_ticks
from editscope.report.html.plots.plotly_frame import Json, axis, layout, run_color, shown

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 640, 170, 14, 6, 34
THICK, BETWEEN = 11.0, 10.0
"""Pixels: a bar, and the room between two rows."""
OPACITIES = (0.95, 0.5, 0.28, 0.16)
"""Of the parts of a run, from the first on."""


@dataclass(frozen=True, eq=False)
class BarSeries:
    """The bars of one run and part, in the order of the rows; the ``part``-th is paler than those before it."""

    index: int
    part: int
    name: str
    points: Sequence[Point | None]


@dataclass(frozen=True, eq=False)
class Bars:
    """Rows of bars from ``span[0]`` on."""

    labels: Sequence[str]
    series: Sequence[BarSeries]
    title: str
    span: tuple[float, float] = (0.0, 100.0)
    whole: bool = False
    """Whether values are numbers of things, so that the axis has no halves."""

    def _ticks(self) -> list[float]:
        ticks = round_ticks(*self.span)
        return [at for at in ticks if at == round(at)] if self.whole else ticks

    @property
    def pitch(self) -> float:
        """The height of a row in pixels."""
        return THICK * len(self.series) + BETWEEN

    def traces(self) -> list[Json]:
        """One trace per series."""
        low = self.span[0]
        traces = []
        for one in self.series:
            there = [(i, p) for i, p in enumerate(one.points) if p]
            ends = [(p.mean if p.lo is None else p.lo, p.mean if p.hi is None else p.hi) for _, p in there]
            traces.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": shown(one.name),
                    "base": low,
                    "x": [round(p.mean - low, 3) for _, p in there],
                    "y": [shown(self.labels[i]) for i, _ in there],
                    "text": [shown(p.tooltip).replace("\n", "<br>") for _, p in there],
                    "textposition": "none",
                    "customdata": [p.link for _, p in there],
                    "marker": {"color": run_color(one.index, OPACITIES[one.part % 4]), "line": {"width": 0}},
                    "error_x": {
                        "type": "data",
                        "symmetric": False,
                        "array": [round(max(hi - p.mean, 0), 3) for (_, p), (_, hi) in zip(there, ends, strict=True)],
                        "arrayminus": [
                            round(max(p.mean - lo, 0), 3) for (_, p), (lo, _) in zip(there, ends, strict=True)
                        ],
                        "color": "@soft",
                        "thickness": 1.2,
                        "width": 0,
                    },
                    "hovertemplate": "%{text}<extra>%{fullData.name}</extra>",
                }
            )
        return traces

    def layout(self) -> Json:
        """Axes to match; rows run from top to bottom."""
        return layout(
            round(self.pitch * len(self.labels)) + 110,
            barmode="group",
            bargap=0.25,
            xaxis=axis(
                self.title,
                range=list(self.span),
                zeroline=False,
                **({"tickvals": self._ticks()} if self.whole else {}),
            ),
            yaxis=axis(
                autorange="reversed", type="category", showgrid=False, categoryarray=[shown(t) for t in self.labels]
            ),
            showlegend=len(self.series) > 1,
            legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        )

    def svg(self, label: str) -> Html:
        """The same as a drawing."""
        low, high = self.span
        height = TOP + self.pitch * len(self.labels) + BOTTOM
        bottom = height - BOTTOM

        def x(value: float) -> float:
            share = (value - low) / ((high - low) or 1.0)
            return round(LEFT + (WIDTH - LEFT - RIGHT) * min(max(share, 0.0), 1.0), 1)

        grid = [
            [
                el("line", x1=x(at), x2=x(at), y1=TOP, y2=bottom, cls="grid"),
                el("text", f"{at:g}", x=x(at), y=bottom + 14, cls="tick middle"),
            ]
            for at in self._ticks()
        ]
        names = [
            el("text", text, x=LEFT - 8, y=round(TOP + self.pitch * (i + 0.5) + 4, 1), cls="row-name end")
            for i, text in enumerate(self.labels)
        ]
        drawn = [self._drawn(place, x(low), x) for place in range(len(self.series))]
        title = el("text", self.title, x=(LEFT + WIDTH - RIGHT) / 2, y=height - 4, cls="tick middle")
        return el("svg", grid, names, title, drawn, viewBox=f"0 0 {WIDTH} {height:g}", role="img", aria_label=label)

    def _drawn(self, place: int, left: float, x: object) -> Html:
        one = self.series[place]
        assert callable(x)
        marks = []
        for i, point in enumerate(one.points):
            if point is None:
                continue
            y = round(TOP + self.pitch * i + BETWEEN / 2 + THICK * place, 1)
            wide = max(x(point.mean) - left, 0.0)
            marks.append(
                el(
                    "rect",
                    x=left,
                    y=y,
                    width=wide,
                    height=THICK - 1.5,
                    rx=1.5,
                    cls="bar-of-run",
                    opacity=OPACITIES[one.part % 4],
                )
            )
            if point.lo is not None and point.hi is not None:
                middle = y + (THICK - 1.5) / 2
                marks.append(el("line", x1=x(point.lo), x2=x(point.hi), y1=middle, y2=middle, cls="bar-interval"))
        return el("g", el("title", one.name), marks, cls=f"run{one.index % 8}")
