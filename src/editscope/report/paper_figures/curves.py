"""Tolerance curves, and how the scores of cases are spread."""

from __future__ import annotations

import numpy as np

from editscope.report.figure_data.curves import CURVES, tolerance_curves
from editscope.report.figure_data.groups import overall_mean
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import INK, RULE, SOFT, Axes, Figure, legend_above, new_figure, plain_axes
from editscope.stats.summary import percent_scale
from editscope.wording import ends, metric_name, metric_title, value

BINS = 25


@figure(
    "curves",
    "Share of pixels that count as right when colors may be off by ΔE 0 … 10; a curve that climbs is a color that "
    "is only near, a flat one a shape in the wrong place.",
)
def curves(context: FigureContext) -> Figure:
    """IoU, edit and preservation accuracy over the color tolerance, one line for each run."""
    whole = tolerance_curves(context.sheet)
    if not whole:
        raise NothingToDraw("these runs have no curves over the color tolerance")
    drawn = [(*context.drawn_as(view), means) for view, means in whole[0].runs]
    rows_, columns = (1, 3) if context.wide else (3, 1)
    height = (1.75 if context.wide else 4.4) + context.legend_height
    drawing = new_figure(context.inches, height)
    panels = np.ravel(drawing.subplots(rows_, columns, sharex=True, sharey=True))
    handles = []
    for axes, (field, title) in zip(panels, CURVES, strict=True):
        for name, style, means in drawn:
            (line,) = axes.plot(
                range(11), getattr(means, field), color=style.color, linestyle=style.dash, marker=style.marker,
                markevery=[0, 5, 10], markeredgecolor="white", markeredgewidth=0.4, label=name, clip_on=False,
            )  # fmt: skip
            if axes is panels[0]:
                handles.append(line)
        axes.set(title=title, xlim=(0, 10), ylim=(0, 100), xticks=range(0, 11, 2), yticks=range(0, 101, 25))
        plain_axes(axes)
        if axes is panels[-1] or context.wide:
            axes.set_xlabel("Color tolerance ΔE")
        if axes is panels[0] or not context.wide:
            axes.set_ylabel("Right pixels (%)")
    legend_above(drawing, handles, context.inches)
    return drawing


@figure(
    "distributions",
    "How the scores of single cases are spread; the dot is the benchmark's mean with its 95 % interval.",
)
def distributions(context: FigureContext) -> Figure:
    """A histogram of case scores for each run, one below the other on one scale."""
    metric = context.sheet.headline
    count = len(context.runs)
    drawing = new_figure(context.inches, 0.45 + (0.42 if count < 7 else 0.34) * count)
    axes = drawing.subplots()
    low, high = ends(metric)
    edges = np.linspace(low, high, BINS + 1)
    columns = [context.averaged(view, by_case=True).get(metric, ()) for view in context.runs]
    scores = [np.array([v for v in values if v is not None]) for values in columns]
    if not any(len(values) for values in scores):
        raise NothingToDraw(f"these runs have no {metric_name(metric)}")
    for place, (style, values) in enumerate(zip(context.styles, scores, strict=True)):
        base = count - 1 - place
        counts, _ = np.histogram(np.clip(values * percent_scale(metric), low, high), edges)
        # Counts are shown by their roots: most runs have a pile of zeros that would flatten everything else.
        heights = 0.82 * np.sqrt(counts / max(counts.max(), 1))
        wide = (high - low) / BINS
        axes.bar(edges[:-1], heights, wide, bottom=base, align="edge", color=style.color, alpha=0.55, linewidth=0)
        axes.step(edges, base + np.append(heights, heights[-1]), where="post", color=style.color, linewidth=0.8)
        axes.axhline(base, color=RULE, linewidth=0.6, zorder=0)
        _mean_mark(axes, context, place, base)
    axes.set(xlim=(low, high), ylim=(-0.05, count), xlabel=metric_title(metric).replace(" (", " of a case ("))
    axes.set_yticks([count - 0.6 - place for place in range(count)], context.names)
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
    return drawing


def _mean_mark(axes: Axes, context: FigureContext, place: int, base: float) -> None:
    view, style = context.runs[place], context.styles[place]
    cell = overall_mean(context.sheet, view)
    if cell is None:
        return
    low, high = cell["lo"] or cell["mean"], cell["hi"] or cell["mean"]
    axes.plot([low, high], [base + 0.1] * 2, color=INK, linewidth=1.4, solid_capstyle="butt", zorder=4)
    axes.plot(cell["mean"], base + 0.1, "o", color=style.color, markeredgecolor=INK, markeredgewidth=0.6, zorder=5)
    metric = context.sheet.headline
    half = f" ± {value((high - low) / 2, metric)}" if high > low else ""
    (left, right), text = ends(metric), f"{value(cell['mean'], metric)}{half}"
    axes.text(right + 0.015 * (right - left), base + 0.4, text, va="center_baseline", color=SOFT, fontsize=6.2)
