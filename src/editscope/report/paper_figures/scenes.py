"""What size and scene do to a model: over-editing by region size, differences from the baseline, and the palettes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from editscope.report.figure_data.edit_size import edit_sizes
from editscope.report.figure_data.scenes import condition_effects, palette_gaps
from editscope.report.figure_data.statistics import PAPER
from editscope.report.paper_figures.registry import Material, NothingToDraw, figure
from editscope.report.paper_figures.style import INK, SOFT, Axes, Figure, Look, legend_above, new_figure, plain_axes
from editscope.stats.diagnosis import Delta, SizeBin
from editscope.wording import metric_name, plain


@figure(
    "over-editing",
    "Left: pixels changed at ΔE 5 for each pixel that should change (median; 1 is right). Right: mIoU. Both by the "
    "size of the edit region, with 95 % intervals.",
)
def over_editing(material: Material) -> Figure:
    """The over-editing ratio and mIoU by the size of the edit region."""
    record = edit_sizes(material.sheet, PAPER)
    if record is None:
        raise NothingToDraw("the cases of these runs do not differ enough in the size of their edit region")
    rows, columns = (1, 2) if material.wide else (2, 1)
    drawing = new_figure(material.inches, (2.0 if material.wide else 3.6) + material.legend_height)
    left, right = np.ravel(drawing.subplots(rows, columns, sharex=True))
    handles: list[Any] = []
    for place, (name, look, (_, bins)) in enumerate(zip(material.names, material.looks, record.runs, strict=True)):
        shift = 0.5 * ((place + 0.5) / len(record.runs) - 0.5)
        _line(left, bins, look, name, shift, lambda one: one.over_edit)
        handles.append(_line(right, bins, look, name, shift, lambda one: one.miou))
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
        if axes is right or material.wide:
            axes.set_xlabel("Edit region (pixels)")
    legend_above(drawing, [handle for handle in handles if handle is not None], material.inches)
    return drawing


def _line(
    axes: Axes, bins: Sequence[SizeBin], look: Look, name: str, shift: float, read: Callable[[SizeBin], Any]
) -> Any:
    points = [(i + shift, value) for i, one in enumerate(bins) if (value := read(one)) is not None]
    if not points:
        return None
    x = [place for place, _ in points]
    y = np.array([value.mean for _, value in points])
    # A rounded mean may lie outside its own interval by the last bit.
    spread = [np.maximum(y - [v.lo for _, v in points], 0), np.maximum([v.hi for _, v in points] - y, 0)]
    return axes.errorbar(
        x, y, spread, color=look.color, linestyle=look.dash, marker=look.marker, linewidth=1.0, elinewidth=0.8,
        capsize=0, markeredgecolor="white", markeredgewidth=0.4, label=name,
    )  # fmt: skip


@figure("conditions", "Difference from the baseline scenes when one thing changes, with 95 % intervals.")
def conditions(material: Material) -> Figure:
    """Differences from the baseline for each condition and run."""
    metric, record = material.sheet.headline, condition_effects(material.sheet, PAPER)
    if record is None:
        raise NothingToDraw("these runs have no baseline condition and another one beside it")
    order, count = record.conditions, len(record.runs)
    step = 0.1 if count > 2 else 0.14
    height = 0.45 + material.legend_height + len(order) * max(0.24, step * (count + 0.8))
    drawing = new_figure(material.inches, height)
    axes = drawing.subplots()
    handles: list[Any] = [None] * count
    for row, key in enumerate(order):
        for place, (_, effects) in enumerate(record.runs):
            if key in effects:
                y = row + 0.72 * ((place + 0.5) / count - 0.5)
                handles[place] = _whisker(axes, material, place, effects[key], y)
        if row % 2:
            axes.axhspan(row - 0.5, row + 0.5, color="#F4F4F4", zorder=0, linewidth=0)
    axes.axvline(0, color=INK, linewidth=0.7, zorder=1)
    axes.set_yticks(range(len(order)), [plain(key) for key in order])
    axes.set(ylim=(len(order) - 0.5, -0.5), xlabel=f"Difference of {metric_name(metric)} from baseline (points)")
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
    legend_above(drawing, [handle for handle in handles if handle is not None], material.inches)
    return drawing


def _whisker(axes: Axes, material: Material, place: int, effect: Delta, y: float) -> Any:
    look = material.looks[place]
    axes.plot([effect.lo, effect.hi], [y, y], color=look.color, linewidth=1.0, solid_capstyle="butt", zorder=2)
    (point,) = axes.plot(
        effect.difference, y, look.marker, color=look.color, markeredgecolor="white", markeredgewidth=0.4,
        label=material.names[place], zorder=3,
    )  # fmt: skip
    return point


@figure(
    "palette",
    "Pixels whose color is exactly right (ΔE 0) with the standard (filled) and the nonstandard palette (hollow), "
    "with 95 % intervals.",
)
def palette(material: Material) -> Figure:
    """Exact-match accuracies under the two palettes: how far a model knows only the usual colors."""
    gaps = [gap for _, gap in palette_gaps(material.sheet, PAPER)]
    if not any(gaps):
        raise NothingToDraw("these runs do not have both the baseline and the nonstandard palette")
    rows, columns = (1, 2) if material.wide else (2, 1)
    height = 0.55 + 0.26 * len(gaps)
    drawing = new_figure(material.inches, height if material.wide else 2 * height)
    panels = np.ravel(drawing.subplots(rows, columns, sharey=True, sharex=True))
    for axes, field, title in zip(panels, ("edit", "preservation"), ("Edit region", "Preserved region"), strict=True):
        for place, gap in enumerate(gaps):
            if gap is None:
                continue
            one, look = getattr(gap, field), material.looks[place]
            for value, fill, y in ((one.standard, look.color, place - 0.17), (one.nonstandard, "white", place + 0.17)):
                axes.plot([value.lo, value.hi], [y, y], color=look.color, linewidth=0.9, zorder=2)
                axes.plot(value.mean, y, "o", color=look.color, markerfacecolor=fill, markersize=3.8, zorder=3)
        axes.set(title=title, xlim=(-3, 103), ylim=(len(gaps) - 0.4, -0.6))
        axes.set_yticks(range(len(gaps)), material.names)
        axes.tick_params(axis="y", length=0)
        plain_axes(axes, grid="x")
        axes.spines["left"].set_visible(False)
        if axes is panels[-1] or material.wide:
            axes.set_xlabel("Exactly right pixels (%)", color=SOFT)
    return drawing
