"""Bars of rows divided by a tag: single and multi-image inputs, levels or languages side by side for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from editscope.report.figure_data.splits import SplitMeans, split_means, variant_label
from editscope.report.model import Cell
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import (
    COLORS,
    FEW,
    INK,
    Axes,
    Figure,
    legend_above,
    new_figure,
    plain_axes,
    two_lines,
)
from editscope.stats.small_groups import is_few
from editscope.wording import ends, metric_title

ACROSS = {"double": 5, "single": 2}
BAR = 0.1
"""Inches: one bar."""


@figure(
    "split",
    "The headline metric of each part side by side, with 95 % intervals, over all cases and in each row of the main "
    "table.",
)
def split(context: FigureContext) -> Figure:
    """A panel for each row of the main table, in it the runs, and for each run a bar for each part."""
    found = split_means(context.sheet, context.groups[1])
    if not found:
        raise NothingToDraw("the cases of these runs have no parts to set side by side, such as levels or languages")
    across = min(max(len(one.rows) for one in found), ACROSS[context.width])
    heights = [-(-len(one.rows) // across) for one in found]
    each = 0.42 + max(BAR * len(one.values) + 0.06 for one in found) * len(context.runs)
    drawing = new_figure(context.inches, sum(heights) * each + 0.2 * len(found) + 0.1)
    parts = np.ravel(drawing.subfigures(len(found), 1, squeeze=False, height_ratios=heights))
    for part, one, down in zip(parts, found, heights, strict=True):
        _panels(part, context, one, down, across)
    return drawing


def _panels(part: Any, context: FigureContext, one: SplitMeans, down: int, across: int) -> None:
    frames = np.ravel(part.subplots(down, across, sharex=True, sharey=True, squeeze=False))
    handles: list[Any] = []
    for row, axes in enumerate(frames):
        if row >= len(one.rows):
            axes.set_visible(False)
            continue
        drawn = _bars(axes, context, one.values, [cells[row] for _, cells in one.runs])
        handles = handles or drawn
        label = axis_label(one.rows[row]) if one.rows[row] else "All"
        axes.set_title(two_lines(label), fontweight="normal" if one.rows[row] else "bold")
        if row >= len(one.rows) - across:
            axes.set_xlabel(metric_title(context.sheet.headline))
            axes.tick_params(labelbottom=True)
    legend_above(part, handles, context.inches)


def _bars(
    axes: Axes, context: FigureContext, values: Sequence[str], runs: Sequence[Sequence[Cell | None]]
) -> list[Any]:
    low, high = ends(context.sheet.headline)
    thick = 0.84 / len(values)
    handles = []
    for part, value in enumerate(values):
        places = [run + thick * (part + 0.5) - 0.42 for run in range(len(runs))]
        means = [low if cells[part] is None else float(cells[part]["mean"]) for cells in runs]  # type: ignore[index]
        drawn = axes.barh(
            places,
            np.array(means) - low,
            0.92 * thick,
            left=low,
            color=COLORS[part],
            alpha=0.85,
            label=variant_label(value),
        )
        handles.append(drawn)
        for bar, cells, y in zip(drawn, runs, places, strict=True):
            cell = cells[part]
            if cell is None:
                axes.text(low, y, " none", va="center_baseline", fontsize=4.8, color=INK)
                continue
            if is_few(cell):
                bar.set_alpha(FEW)
            if cell.get("lo") is not None:
                axes.plot([cell["lo"], cell["hi"]], [y, y], color=INK, linewidth=0.7, solid_capstyle="butt")
    axes.set(xlim=(low, high), ylim=(len(runs) - 0.45, -0.55))
    axes.set_xticks([low, (low + high) / 2, high])
    first, _, last = axes.xaxis.get_major_ticks()
    first.label1.set_horizontalalignment("left")  # the ends of two panels would meet
    last.label1.set_horizontalalignment("right")
    axes.set_yticks(range(len(runs)), context.names)
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
    return handles
