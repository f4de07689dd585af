"""Distributions of scores: how many cases fail outright, how many are nearly right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.report.html.markup import Html, el
from editscope.report.html.plots.dots import round_ticks
from editscope.report.html.plots.plotly_frame import Json, axis, layout, run_color, shown

WIDTH, LEFT, RIGHT, TOP, BOTTOM, PITCH = 400, 40, 14, 8, 34, 46
BINS = 25


@dataclass(frozen=True, eq=False)
class Violin:
    """The scores of one run, as tables show them."""

    index: int
    name: str
    values: Sequence[float]


@dataclass(frozen=True, eq=False)
class Violins:
    """One violin per run, on a common axis from ``low`` to ``high``, the ends of the scale."""

    violins: Sequence[Violin]
    title: str
    low: float = 0.0
    high: float = 100.0

    def traces(self) -> list[Json]:
        """One violin each, with its quartiles and mean; hard ends, since no score lies outside the scale."""
        return [
            {
                "type": "violin",
                "orientation": "h",
                "name": shown(v.name),
                "x": [round(value, 1 if self.high - self.low > 10 else 2) for value in v.values],
                "y0": shown(v.name),
                "spanmode": "hard",
                "bandwidth": round(0.03 * (self.high - self.low), 4),
                "scalemode": "width",
                "width": 0.9,
                "points": False,
                "box": {"visible": True, "width": 0.18},
                "meanline": {"visible": True},
                "line": {"color": run_color(v.index), "width": 1.5},
                "fillcolor": run_color(v.index, 0.22),
                "hoveron": "violins",
            }
            for v in self.violins
        ]

    def layout(self) -> Json:
        """Room for each."""
        room = 0.01 * (self.high - self.low)
        down = axis(autorange="reversed", showgrid=False, type="category")
        across = axis(self.title, range=[self.low - room, self.high + room], zeroline=False)
        pitch = 58 if len(self.violins) <= 4 else 34
        return layout(pitch * len(self.violins) + 84, xaxis=across, yaxis=down, showlegend=False)

    def svg(self, label: str) -> Html:
        """Mirrored histograms with the median and the quartiles."""
        height = TOP + PITCH * len(self.violins) + BOTTOM
        grid = [
            [
                el("line", x1=self._x(at), x2=self._x(at), y1=TOP, y2=height - BOTTOM, cls="grid"),
                el("text", f"{at:g}", x=self._x(at), y=height - BOTTOM + 14, cls="tick middle"),
            ]
            for at in round_ticks(self.low, self.high)
        ]
        drawn = [self._drawn(v, TOP + PITCH * (i + 0.5)) for i, v in enumerate(self.violins)]
        title = el("text", self.title, x=(LEFT + WIDTH - RIGHT) / 2, y=height - 4, cls="tick middle")
        return el("svg", grid, drawn, title, viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=label)

    def _x(self, value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - self.low) / (self.high - self.low), 1)

    def _drawn(self, violin: Violin, middle: float) -> Html:
        counts = [0] * BINS
        span = self.high - self.low
        for value in violin.values:
            counts[min(int((value - self.low) * BINS / span), BINS - 1)] += 1
        largest = max(counts) or 1
        outline = []
        for sign, order in ((-1, range(BINS)), (1, range(BINS - 1, -1, -1))):
            for i in order:
                y = round(middle + sign * counts[i] / largest * PITCH * 0.44, 1)
                ends = (i, i + 1) if sign < 0 else (i + 1, i)
                outline += [f"{self._x(self.low + span * end / BINS)},{y}" for end in ends]
        ordered = sorted(violin.values)
        low, median, high = (_quantile(ordered, q) for q in (0.25, 0.5, 0.75))
        return el(
            "g",
            el("title", f"{violin.name}: median {median:.1f}, half of the cases from {low:.1f} to {high:.1f}"),
            el("text", violin.name, x=LEFT - 8, y=middle + 4, cls="row-name end"),
            el("polygon", points=" ".join(outline), cls="violin"),
            el("line", x1=self._x(low), x2=self._x(high), y1=middle, y2=middle, cls="whisker"),
            el("circle", cx=self._x(median), cy=middle, r=3.2, cls="dot"),
            cls=f"run{violin.index % 8}",
        )


def _quantile(ordered: Sequence[float], q: float) -> float:
    """The q-quantile of sorted values, interpolated.

    >>> _quantile([0.0, 10.0, 20.0], 0.75)
    15.0
    """
    if not ordered:
        return 0.0
    place = q * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
