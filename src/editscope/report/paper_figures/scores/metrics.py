"""Metrics side by side: a radar of all that share one scale, and the same as bars with intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from editscope.report.figure_data.metric_means import MetricProfile, metric_profile
from editscope.report.paper_figures.profile import radar_frame, ring_ends
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import FEW, INK, Axes, Figure, legend_above, new_figure, plain_axes, short
from editscope.stats.small_groups import is_few
from editscope.wording import ends, metric_title

LEAST = 3
"""Fewer axes than this are no radar."""
BAR, GAP = 0.085, 0.09
"""Inches: a bar, and the room between two metrics."""


@figure(
    "metrics",
    "Every metric on the scale of the headline as a radar, and as bars with 95 % intervals.",
    judged="The means of the metrics that the judge gave scores of, and of the kinds of cases that the paper shows "
    "beside them: as a radar, and as bars with 95 % intervals.",
)
def metrics(context: FigureContext) -> Figure:
    """A radar at the left and bars at the right; on a single column the radar stands above the bars."""
    profile = metric_profile(context.sheet)
    if profile is None:
        raise NothingToDraw("these runs have one metric only on the scale of the headline")
    radar = len(profile.axes) >= LEAST
    bars = 0.4 + len(profile.axes) * (BAR * len(context.runs) + GAP)
    side = 3.1 if context.wide else 2.4
    beside = radar and context.wide
    height = (max(bars, 0.82 * side) if beside else bars + (0.82 * side if radar else 0)) + context.legend_height
    drawing = new_figure(context.inches, height)
    grid = drawing.add_gridspec(
        1 if beside or not radar else 2,
        2 if beside else 1,
        width_ratios=(side, context.inches - side) if beside else None,
        height_ratios=(0.82 * side, bars) if radar and not beside else None,
    )
    if radar:
        _radar(drawing.add_subplot(grid[0, 0], projection="polar"), context, profile)
    handles = _bars(drawing.add_subplot(grid[0, 1] if beside else grid[-1, 0]), context, profile)
    legend_above(drawing, handles, context.inches)
    return drawing


def _radar(axes: Axes, context: FigureContext, profile: MetricProfile) -> None:
    angles = [math.tau * place / len(profile.axes) for place in range(len(profile.axes))]
    outlines = [
        [math.nan if mean is None else mean for mean in profile.means(place)] for place in range(len(context.runs))
    ]
    span = ring_ends(context.sheet.headline, [value for of in outlines for value in of if not math.isnan(value)])
    for style, outline in zip(context.styles, outlines, strict=True):
        axes.plot(
            [*angles, angles[0]], [*outline, outline[0]], color=style.color, linestyle=style.dash, marker=style.marker,
            markersize=2.8, markeredgecolor="white", markeredgewidth=0.3, linewidth=1.1, clip_on=False,
        )  # fmt: skip
        if len(context.runs) <= 4 and not any(map(math.isnan, outline)):
            axes.fill(angles, outline, color=style.color, alpha=0.07, linewidth=0)
    radar_frame(axes, [short(axis.label, 24) for axis in profile.axes], angles, span)


def _bars(axes: Axes, context: FigureContext, profile: MetricProfile) -> list[Any]:
    """One group of bars for each metric; the rows that stand beside the metrics come below a line."""
    count = len(context.runs)
    low, high = ends(context.sheet.headline)
    handles: list[Any] = []
    for place, (_, cells) in enumerate(profile.runs):
        style, known = context.styles[place], [(row, cell) for row, cell in enumerate(cells) if cell is not None]
        y = np.array([row + 0.8 * ((place + 0.5) / count - 0.5) for row, _ in known])
        means = np.array([cell["mean"] for _, cell in known])
        drawn = axes.barh(y, means - low, 0.8 / count * 0.92, left=low, color=style.color, label=context.names[place])
        for bar, (_, cell), at in zip(drawn, known, y, strict=True):
            bar.set_alpha(FEW if is_few(cell) else 0.85)
            if cell.get("lo") is not None:
                axes.plot([cell["lo"], cell["hi"]], [at, at], color=INK, linewidth=0.7, solid_capstyle="butt")
        handles.append(drawn)
    rows = [row for row, axis in enumerate(profile.axes) if axis.by]
    if rows and rows[0]:
        axes.axhline(rows[0] - 0.5, color=INK, linewidth=0.5, linestyle=(0, (2, 2)))
    axes.set_yticks(range(len(profile.axes)), [short(axis.label, 26) for axis in profile.axes])
    axes.set(ylim=(len(profile.axes) - 0.45, -0.55), xlim=(low, high), xlabel=_scale(context))
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
    return handles


def _scale(context: FigureContext) -> str:
    """The scale that all metrics share, as the headline's title ends."""
    title = metric_title(context.sheet.headline)
    return f"Score {title[title.rindex('(') :]}"
