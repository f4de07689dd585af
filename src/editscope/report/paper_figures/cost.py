"""Quality against what an edit costs and how long it takes, with the runs that none beats in both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from editscope.report.figure_data.cost import (
    DOLLARS,
    QualityPoint,
    frontier,
    is_wide,
    quality_by_price,
    quality_by_time,
    timed,
)
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import INK, Axes, Figure, legend_above, new_figure, plain_axes
from editscope.results.speed import dollars
from editscope.wording import metric_title


@figure(
    "cost", "Quality against the price and the time of an edit; the dotted line joins runs that none beats in both."
)
def cost(context: FigureContext) -> Figure:
    """One panel for money and one for time, as far as the runs know them."""
    times = quality_by_time(context.sheet)
    time_title, factor = timed(times)
    gathered = (
        (DOLLARS, quality_by_price(context.sheet), dollars),
        (time_title, [replace(point, x=factor * point.x) for point in times], "{:g}".format),
    )
    panels = [(title, points, written) for title, points, written in gathered if len(points) > 1]
    if not panels:
        raise NothingToDraw(
            "it needs two runs whose edits were timed: files that were there already, or edits of under 1 ms, are not"
        )
    across = len(panels) if context.wide else 1
    down = len(panels) // across
    height = (2.3 if context.wide else 2.1 * down) + context.legend_height
    drawing = new_figure(context.inches, height)
    axes_ = np.ravel(drawing.subplots(down, across, squeeze=False, sharey=True))
    for axes, (title, points, written) in zip(axes_, panels, strict=True):
        _panel(axes, context, points, written)
        axes.set_xlabel(title)
        if axes is axes_[0] or not context.wide:
            axes.set_ylabel(metric_title(context.sheet.headline))
    handles, _ = axes_[-1].get_legend_handles_labels()  # everybody has a time
    legend_above(drawing, handles, context.inches)
    return drawing


def _panel(axes: Axes, context: FigureContext, points: Sequence[QualityPoint], written: Callable[[float], str]) -> None:
    for point in points:
        name, style = context.drawn_as(point.view)
        mean = float(point.cell["mean"])
        lo, hi = (mean if point.cell[end] is None else float(point.cell[end]) for end in ("lo", "hi"))
        axes.errorbar(
            point.x, mean, yerr=[[mean - lo], [hi - mean]], fmt=style.marker, color=style.color, markersize=4.5,
            markeredgecolor="white", markeredgewidth=0.4, elinewidth=0.8, label=name,
        )  # fmt: skip
    xs = [point.x for point in points]
    if is_wide(xs):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if max(xs) < 1000 * min(xs) else (1,)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: written(x)))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.set_xlim(0, 1.08 * max(xs))
    best = [points[place] for place in frontier([(point.x, point.cell["mean"]) for point in points])]
    if best:
        steps, ys = [point.x for point in best], [point.cell["mean"] for point in best]
        axes.step(steps, ys, where="post", color=INK, linewidth=0.7, linestyle=":", zorder=0)
    plain_axes(axes, grid="both")
