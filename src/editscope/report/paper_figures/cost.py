"""Quality against what an edit costs and how long it takes, with the runs that none beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from editscope.report.html.plots import Mark, Scatter
from editscope.report.html.sections.speed_and_cost import WIDE, speed_of
from editscope.report.paper_figures.registry import Material, NothingToDraw, figure
from editscope.report.paper_figures.style import INK, Axes, Figure, Look, legend_above, new_figure, plain_axes
from editscope.wording import metric_title

PANELS = (
    ("US dollars per edit", lambda found: found["latency_s"] and found["cost_usd"]["mean"]),
    ("Seconds per edit (median)", lambda found: found["latency_s"]["p50"]),
)


@dataclass(frozen=True)
class _Dot:
    x: float
    cell: dict[str, Any]
    name: str
    look: Look


@figure(
    "cost", "Quality against the price and the time of an edit; the dotted line joins runs that none beats in both."
)
def cost(material: Material) -> Figure:
    """One panel for money and one for time, as far as the runs know them."""
    panels = [(title, found) for title, what in PANELS if len(found := _dots(material, what)) > 1]
    if not panels:
        raise NothingToDraw("it needs two runs whose edits were timed: files that were there already are not")
    across = len(panels) if material.wide else 1
    down = len(panels) // across
    height = (2.3 if material.wide else 2.1 * down) + material.legend_height
    drawing = new_figure(material.inches, height)
    axes_ = np.ravel(drawing.subplots(down, across, squeeze=False, sharey=True))
    for axes, (title, dots) in zip(axes_, panels, strict=True):
        _panel(axes, dots)
        axes.set_xlabel(title)
        if axes is axes_[0] or not material.wide:
            axes.set_ylabel(metric_title(material.sheet.headline))
    handles, _ = axes_[-1].get_legend_handles_labels()  # everybody has a time
    legend_above(drawing, handles, material.inches)
    return drawing


def _dots(material: Material, what: Any) -> list[_Dot]:
    dots = []
    for view, name, look in zip(material.runs, material.names, material.looks, strict=True):
        found, cell = speed_of(view), material.cell(view, "overall", "")
        if found is None or cell is None:
            continue
        try:
            dots.append(_Dot(float(what(found)), dict(cell), name, look))
        except KeyError:  # nobody knows what it costs
            continue
    return dots


def _panel(axes: Axes, dots: Sequence[_Dot]) -> None:
    for dot in dots:
        mean, lo, hi = (float(dot.cell[end]) for end in ("mean", "lo", "hi"))
        axes.errorbar(
            dot.x, mean, yerr=[[mean - lo], [hi - mean]], fmt=dot.look.marker, color=dot.look.color, markersize=4.5,
            markeredgecolor="white", markeredgewidth=0.4, elinewidth=0.8, label=dot.name,
        )  # fmt: skip
    low, high = min(dot.x for dot in dots), max(dot.x for dot in dots)
    if low > 0 and high > WIDE * low:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    best = Scatter([Mark(dot.x, dot.cell["mean"], "", "") for dot in dots], "", "", frontier=True).best()
    if best:
        axes.step(
            [m.x for m in best], [m.y for m in best], where="post", color=INK, linewidth=0.7, linestyle=":", zorder=0
        )
    plain_axes(axes, grid="both")
