"""Radar plots: one spoke for each category or task, one ring of figures for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from editscope.report.html.markup import Html, el
from editscope.report.html.plots.plotly_frame import DASHES, Json, layout, run_color, shown

SIZE = 340
REACH = 112
LETTER, ROOM, LINE = 6, 14, 12
"""Pixels for a letter of a name, between name and circle, and from line to line."""


@dataclass(frozen=True, eq=False)
class Radar:
    """Values by spoke, on a scale from ``low`` in the middle to ``full``; ``links`` leads from a spoke to its cases."""

    spokes: Sequence[str]
    rings: Sequence[tuple[int, str, Sequence[float | None], Sequence[str]]]
    full: float = 100.0
    low: float = 0.0

    def traces(self) -> list[Json]:
        """One closed line per run."""
        return [
            {
                "type": "scatterpolar",
                "mode": "lines+markers",
                "name": shown(name),
                "r": [None if v is None else round(v, 2) for v in (*values, *values[:1])],
                "theta": [*self._angles(), 0],
                "text": [shown(s) for s in (*self.spokes, *self.spokes[:1])],
                "customdata": [*links, *links[:1]],
                "fill": "toself" if len(self.rings) <= 3 else "none",
                "fillcolor": run_color(index, 0.12),
                "line": {"color": run_color(index), "width": 2, "dash": DASHES[index % 4]},
                "marker": {"size": 5, "color": run_color(index)},
                "hovertemplate": "%{text}: %{r:.1f}<extra>%{fullData.name}</extra>",
            }
            for index, name, values, links in self.rings
        ]

    def _share(self, value: float | None) -> float:
        """How far out a value lies; one that is missing lies in the middle."""
        return 0.0 if value is None else (value - self.low) / (self.full - self.low)

    def _angles(self) -> list[float]:
        return [round(360 * i / len(self.spokes), 3) for i in range(len(self.spokes))]

    def layout(self, height: int = 320) -> Json:
        """A circle from the lowest value of the scale to the largest."""
        ring = {
            "range": [self.low, self.full],
            "tickvals": [(self.low + self.full) / 2, self.full],
            "gridcolor": "@line",
            "linecolor": "@hair",
            "tickfont": {"size": 10, "color": "@faint"},
        }
        names = [wrapped(name) for name in short_names(self.spokes)]
        side = ROOM + LETTER * max((len(line) for lines in names for line in lines), default=0)
        around = {
            "tickvals": self._angles(),
            "ticktext": ["<br>".join(map(shown, lines)) for lines in names],
            "rotation": 90,
            "gridcolor": "@hair",
            "linecolor": "@line",
            "direction": "clockwise",
            "tickfont": {"size": 11},
        }
        return layout(
            height,
            polar={"radialaxis": {**ring, "angle": 90, "tickangle": 90}, "angularaxis": around, "bgcolor": "@card/0"},
            margin={"l": side, "r": side, "t": 34, "b": 34},
            showlegend=False,
        )

    def svg(self, label: str) -> Html:
        """The same as a drawing."""
        n = max(len(self.spokes), 1)

        def at(spoke: int, share: float) -> tuple[float, float]:
            angle = 2 * pi * spoke / n - pi / 2
            return round(SIZE / 2 + REACH * share * cos(angle), 1), round(SIZE / 2 + REACH * share * sin(angle), 1)

        rings = [
            el("polygon", points=" ".join("{},{}".format(*at(i, q / 4)) for i in range(n)), cls="grid")
            for q in range(1, 5)
        ]
        names = []
        for i, spoke in enumerate(short_names(self.spokes)):
            x, y = at(i, 1.12)
            side = "middle" if abs(x - SIZE / 2) < 8 else "end" if x < SIZE / 2 else ""
            lines = wrapped(spoke)
            top = y + 3 - LINE * (len(lines) - 1) / 2
            text = [el("tspan", line, x=x, y=round(top + LINE * place, 1)) for place, line in enumerate(lines)]
            names.append(el("text", text, cls=f"tick {side}".strip()))
        drawn = [
            el(
                "g",
                el(
                    "polygon",
                    points=" ".join("{},{}".format(*at(i, self._share(v))) for i, v in enumerate(values)),
                    cls="line ring",
                ),
                el("title", name),
                cls=f"run{index % 8}",
            )
            for index, name, values, _ in self.rings
        ]
        box = f"0 20 {SIZE} {SIZE - 40}"
        return el("svg", rings, names, drawn, viewBox=box, role="img", aria_label=label, cls="radar")


def wrapped(name: str, width: int = 12) -> list[str]:
    """The lines of a name that has little room beside a circle, broken between words.

    >>> wrapped("Knowledge plausibility"), wrapped("Visual quality"), wrapped("IoU@5")
    (['Knowledge', 'plausibility'], ['Visual', 'quality'], ['IoU@5'])
    """
    lines: list[str] = []
    for word in name.split():
        if lines and len(lines[-1]) + len(word) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [name]


def short_names(names: Sequence[str]) -> list[str]:
    """Names for narrow places: their first words, where those tell them apart and the whole is long.

    >>> short_names(["Geometric transformation", "Color change"]), short_names(["Bar", "Line"])
    (['Geometric', 'Color'], ['Bar', 'Line'])
    """
    first = [name.partition(" ")[0] for name in names]
    return first if max(map(len, names), default=0) > 10 and len(set(first)) == len(first) else list(names)
