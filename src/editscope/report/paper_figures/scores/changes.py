"""Before and after: where a metric stood, where it went, and the interval of the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from editscope.report.figure_data.changes import (
    MetricChange,
    change_metrics,
    changes_between,
    changes_of_variants,
    run_pairs,
)
from editscope.report.figure_data.statistics import PAPER
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import (
    COLORS,
    FEW,
    MARKERS,
    SOFT,
    Axes,
    Figure,
    legend_above,
    new_figure,
    plain_axes,
    short,
)
from editscope.stats.paired import Paired
from editscope.wording import ends, metric_title, signed

MOST_ROWS = 40
LINE = 0.15
"""Inches: one line."""


@figure(
    "before-after",
    "Before (hollow) and after (filled), case by case. The whisker is the 95 % interval of the difference, drawn from "
    "the hollow mark: it does not reach it where the difference is clear. * p < 0.05, ** p < 0.01, *** p < 0.001, "
    "corrected after Holm.",
)
def before_after(context: FigureContext) -> Figure:
    """A panel for each metric that the paper shows the change of; rows of its main table, a mark for each pair.

    Of one run alone with several levels or languages, each is held against the first.
    """
    by_metric = [(metric, _changes(context, metric)) for metric in change_metrics(context.sheet)]
    by_metric = [(metric, changes) for metric, changes in by_metric if changes]
    if not by_metric:
        raise NothingToDraw("it needs two runs of the same cases, or one run with two levels or languages")
    keys = ["", *(key for key in context.sheet.keys(_group(context)) if _has(by_metric, key))]
    series = max(len(changes) for _, changes in by_metric)
    step = LINE if series == 1 else 0.11 * series + 0.05
    each = 0.5 + step * len(keys)
    panels = len(by_metric)
    names = dict.fromkeys(_label(change) for _, changes in by_metric for change in changes)
    height = (each if context.wide else panels * each) + 0.17 * (len(names) > 1 or context.wide)
    drawing = new_figure(context.inches, height)
    frames = np.ravel(
        drawing.subplots(*((1, panels) if context.wide else (panels, 1)), sharey=context.wide, squeeze=False)
    )
    handles: list[Any] = []
    for axes, (metric, changes) in zip(frames, by_metric, strict=True):
        handles = _marks(axes, changes, keys)
        _frame(axes, context, metric, keys)
    if len(names) > 1:
        legend_above(drawing, handles, context.inches)
    else:
        drawing.suptitle(next(iter(names)), fontsize=7.5, fontweight="bold")
    return drawing


def _group(context: FigureContext) -> str:
    """The finer group of the main table, as far as it fits a page."""
    by = context.groups[1] or context.groups[0]
    return by if len(context.sheet.keys(by)) <= MOST_ROWS else ""


def _changes(context: FigureContext, metric: str) -> list[MetricChange]:
    sheet, by = context.sheet, _group(context)
    if len(sheet.runs) < 2:
        return changes_of_variants(sheet, sheet.runs[0], metric, by, PAPER)
    return changes_between(sheet, run_pairs(sheet, two_by_two=context.pairs), metric, by, PAPER)


def _has(by_metric: Sequence[tuple[str, Sequence[MetricChange]]], key: str) -> bool:
    return any(change.row(key) is not None for _, changes in by_metric for change in changes)


def _label(change: MetricChange) -> str:
    return f"{short(change.before, 34)} → {short(change.after, 34)}"


def _marks(axes: Axes, changes: Sequence[MetricChange], keys: Sequence[str]) -> list[Any]:
    handles: list[Any] = []
    count = len(changes)
    for place, change in enumerate(changes):
        color, marker = COLORS[place % len(COLORS)], MARKERS[place % len(MARKERS)]
        for row, key in enumerate(keys):
            paired = change.row(key)
            if paired is not None:
                y = row if count == 1 else row + 0.78 * ((place + 0.5) / count - 0.5)
                _mark(axes, paired, y, color, marker, change.metric, alone=count == 1)
        handles += axes.plot([], [], marker, color=color, markersize=3.6, linestyle="none", label=_label(change))
    return handles


def _mark(axes: Axes, paired: Paired, y: float, color: str, marker: str, metric: str, *, alone: bool) -> None:
    faint = FEW if paired.few else 1.0
    axes.plot([paired.mean_a, paired.mean_b], [y, y], color=color, linewidth=1.6, alpha=0.25, zorder=1)
    if paired.lo is not None and paired.hi is not None:
        whisker = [paired.mean_a + paired.lo, paired.mean_a + paired.hi]
        axes.plot(whisker, [y, y], color=color, linewidth=0.8, alpha=faint, solid_capstyle="butt", zorder=2)
    look: dict[str, Any] = {"color": color, "markersize": 3.6, "alpha": faint, "linestyle": "none", "clip_on": False}
    axes.plot(paired.mean_a, y, marker, markerfacecolor="white", markeredgewidth=0.8, zorder=3, **look)
    axes.plot(paired.mean_b, y, marker, markeredgecolor="white", markeredgewidth=0.4, zorder=4, **look)
    said = f"{signed(paired.difference, metric)}{paired.stars}"
    axes.text(
        1.02, y, said, transform=axes.get_yaxis_transform(), va="center_baseline", fontsize=5.6 if alone else 4.8,
        color=SOFT if alone else color,
    )  # fmt: skip


def _frame(axes: Axes, context: FigureContext, metric: str, keys: Sequence[str]) -> None:
    axes.set_yticks(range(len(keys)), [axis_label(key) if key else "All cases" for key in keys])
    if axes.get_yticklabels():
        axes.get_yticklabels()[0].set_fontweight("bold")
    axes.axhline(0.5, color=SOFT, linewidth=0.5, linestyle=(0, (2, 2)))
    axes.set(ylim=(len(keys) - 0.4, -0.6), xlabel=metric_title(metric))
    low, high = ends(metric, math.inf if metric.endswith("_ratio") else 100.0)
    room = 0.03 * (high - low) if math.isfinite(high) else 0.0
    left, right = axes.get_xlim()
    axes.set_xlim(max(left, low - room), min(right, high + room))  # whiskers may leave the scale, the axis does not
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
