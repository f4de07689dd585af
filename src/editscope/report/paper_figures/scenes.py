"""Effects of size and scene: over-editing by region size, differences from the baseline, and the palettes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from editscope.report.figure_data.edit_size import edit_sizes
from editscope.report.figure_data.scenes import condition_effects, palette_gaps
from editscope.report.figure_data.statistics import PAPER
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import (
    FEW,
    INK,
    SOFT,
    Axes,
    Figure,
    RunStyle,
    legend_above,
    new_figure,
    plain_axes,
)
from editscope.stats.diagnosis import Delta, SizeBin
from editscope.wording import metric_name, plain


@figure(
    "over-editing",
    "Left: pixels changed at ΔE 5 for each pixel that should change (median; 1 is right). Right: mIoU. Both by the "
    "size of the edit region, with 95 % intervals.",
)
def over_editing(context: FigureContext) -> Figure:
    """The over-editing ratio and mIoU by the size of the edit region."""
    record = edit_sizes(context.sheet, PAPER)
    if record is None:
        raise NothingToDraw("the cases of these runs do not differ enough in the size of their edit region")
    rows, columns = (1, 2) if context.wide else (2, 1)
    drawing = new_figure(context.inches, (2.0 if context.wide else 3.6) + context.legend_height)
    left, right = np.ravel(drawing.subplots(rows, columns, sharex=True))
    handles: list[Any] = []
    for place, (name, style, (_, bins)) in enumerate(zip(context.names, context.styles, record.runs, strict=True)):
        shift = 0.5 * ((place + 0.5) / len(record.runs) - 0.5)
        _line(left, bins, style, name, shift, lambda size: size.over_edit)
        handles.append(_line(right, bins, style, name, shift, lambda size: size.miou))
    left.set_yscale("symlog", linthresh=1, linscale=0.6)
    left.axhline(1, color=INK, linewidth=0.7, linestyle=(0, (2, 2)), zorder=1)
    left.set_ylim(bottom=0)
    left.set_ylabel("Changed / wanted pixels")
    left.yaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    right.set_ylabel("mIoU (%)")
    right.set_ylim(bottom=0)
    for axes in (left, right):
        axes.set_xticks(range(len(record.labels)), record.labels)
        plain_axes(axes)
        if axes is right or context.wide:
            axes.set_xlabel("Edit region (pixels)")
    legend_above(drawing, [handle for handle in handles if handle is not None], context.inches)
    return drawing


def _line(
    axes: Axes, bins: Sequence[SizeBin], style: RunStyle, name: str, shift: float, read: Callable[[SizeBin], Any]
) -> Any:
    points = [(i + shift, value) for i, size in enumerate(bins) if (value := read(size)) is not None]
    if not points:
        return None
    x = [place for place, _ in points]
    y = np.array([value.mean for _, value in points])
    # A rounded mean may lie outside its own interval by the last bit.
    low = np.array([v.mean if v.lo is None else v.lo for _, v in points])
    high = np.array([v.mean if v.hi is None else v.hi for _, v in points])
    spread = [np.maximum(y - low, 0), np.maximum(high - y, 0)]
    return axes.errorbar(
        x, y, spread, color=style.color, linestyle=style.dash, marker=style.marker, linewidth=1.0, elinewidth=0.8,
        capsize=0, markeredgecolor="white", markeredgewidth=0.4, label=name,
    )  # fmt: skip


@figure("conditions", "Difference from the baseline scenes when one thing changes, with 95 % intervals.")
def conditions(context: FigureContext) -> Figure:
    """Differences from the baseline for each condition and run."""
    metric, record = context.sheet.headline, condition_effects(context.sheet, PAPER)
    if record is None:
        raise NothingToDraw("these runs have no baseline condition and another one beside it")
    order, count = record.conditions, len(record.runs)
    step = 0.1 if count > 2 else 0.14
    height = 0.45 + context.legend_height + len(order) * max(0.24, step * (count + 0.8))
    drawing = new_figure(context.inches, height)
    axes = drawing.subplots()
    handles: list[Any] = [None] * count
    for row, key in enumerate(order):
        for place, (_, effects) in enumerate(record.runs):
            if key in effects:
                y = row + 0.72 * ((place + 0.5) / count - 0.5)
                handles[place] = _whisker(axes, context, place, effects[key], y)
        if row % 2:
            axes.axhspan(row - 0.5, row + 0.5, color="#F4F4F4", zorder=0, linewidth=0)
    axes.axvline(0, color=INK, linewidth=0.7, zorder=1)
    axes.set_yticks(range(len(order)), [plain(key) for key in order])
    axes.set(ylim=(len(order) - 0.5, -0.5), xlabel=f"Difference of {metric_name(metric)} from baseline (points)")
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
    legend_above(drawing, [handle for handle in handles if handle is not None], context.inches)
    return drawing


def _whisker(axes: Axes, context: FigureContext, place: int, effect: Delta, y: float) -> Any:
    style = context.styles[place]
    few = effect.lo is None
    if not few:
        axes.plot([effect.lo, effect.hi], [y, y], color=style.color, linewidth=1.0, solid_capstyle="butt", zorder=2)
    (point,) = axes.plot(
        effect.difference, y, style.marker, color=style.color, alpha=FEW if few else 1.0,
        markeredgecolor="white", markeredgewidth=0.4,
        label=context.names[place], zorder=3,
    )  # fmt: skip
    return point


@figure(
    "palette",
    "Pixels whose color is exactly right (ΔE 0) with the standard (filled) and the nonstandard palette (hollow), "
    "with 95 % intervals.",
)
def palette(context: FigureContext) -> Figure:
    """Exact-match accuracies under the two palettes: how far a model knows only the usual colors."""
    gaps = [gap for _, gap in palette_gaps(context.sheet, PAPER)]
    if not any(gaps):
        raise NothingToDraw("these runs do not have both the baseline and the nonstandard palette")
    rows, columns = (1, 2) if context.wide else (2, 1)
    height = 0.55 + 0.26 * len(gaps)
    drawing = new_figure(context.inches, height if context.wide else 2 * height)
    panels = np.ravel(drawing.subplots(rows, columns, sharey=True, sharex=True))
    for axes, field, title in zip(panels, ("edit", "preservation"), ("Edit region", "Preserved region"), strict=True):
        for place, gap in enumerate(gaps):
            if gap is None:
                continue
            accuracies, style = getattr(gap, field), context.styles[place]
            for value, fill, y in (
                (accuracies.standard, style.color, place - 0.17),
                (accuracies.nonstandard, "white", place + 0.17),
            ):
                if value.lo is not None:
                    axes.plot([value.lo, value.hi], [y, y], color=style.color, linewidth=0.9, zorder=2)
                axes.plot(value.mean, y, "o", color=style.color, markerfacecolor=fill, markersize=3.8, zorder=3)
        axes.set(title=title, xlim=(-3, 103), ylim=(len(gaps) - 0.4, -0.6))
        axes.set_yticks(range(len(gaps)), context.names)
        axes.tick_params(axis="y", length=0)
        plain_axes(axes, grid="x")
        axes.spines["left"].set_visible(False)
        if axes is panels[-1] or context.wide:
            axes.set_xlabel("Exactly right pixels (%)", color=SOFT)
    return drawing
