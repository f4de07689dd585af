"""Profile of a model: a radar of its categories, and every task with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from editscope.report.figure_data.groups import GroupMeans, group_means
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import (
    FEW,
    PAPER_GRAY,
    RULE,
    SOFT,
    Axes,
    Figure,
    legend_above,
    new_figure,
    plain_axes,
    short,
    two_lines,
)
from editscope.stats.small_groups import is_few
from editscope.wording import MetricName, ends, metric_title, plain

MOST = 26
"""More axes than this are a hedgehog."""


@figure("radar", "The profile over categories and over tasks; the outer circle is the scale's maximum.")
def radar(context: FigureContext) -> Figure:
    """One axis for each row of a group, one outline for each run: categories, and on a whole page tasks beside them."""
    groups = [name for name in context.groups if name and 3 <= len(context.sheet.keys(name)) <= MOST]
    if not groups:
        raise NothingToDraw("a radar needs at least three categories")
    groups = groups if context.wide else groups[:1]
    size = context.inches / 2 if context.wide else context.inches
    width = size * len(groups) if len(groups) > 1 or not context.wide else 1.35 * size  # labels stand at both sides
    drawing = new_figure(width, size * 0.82 + context.legend_height)
    panels = drawing.subplots(1, len(groups), squeeze=False, subplot_kw={"projection": "polar"})[0]
    handles: list[Any] = []
    for axes, by in zip(panels, groups, strict=True):
        handles = _outlines(axes, context, group_means(context.sheet, by))
    legend_above(drawing, handles, width)
    return drawing


def _outlines(axes: Axes, context: FigureContext, record: GroupMeans) -> list[Any]:
    keys = record.keys
    angles = [math.tau * i / len(keys) for i in range(len(keys))]
    # A row without a mean is a gap in the outline, not the worst score.
    outlines = [
        [math.nan if mean is None else mean for mean in record.means(place)] for place in range(len(record.runs))
    ]
    printed = _best_published(context, record.by, keys)
    values = [value for outline in (*outlines, printed[1]) for value in outline if not math.isnan(value)]
    low, top = ring_ends(context.sheet.headline, values)
    handles = _published_outline(axes, printed, angles) if printed[1] else []
    for name, style, outline in zip(context.names, context.styles, outlines, strict=True):
        closed = [*outline, outline[0]]
        (line,) = axes.plot(
            [*angles, angles[0]], closed, color=style.color, linestyle=style.dash, marker=style.marker, markersize=2.8,
            markeredgecolor="white", markeredgewidth=0.3, linewidth=1.1, label=name, clip_on=False,
        )  # fmt: skip
        if len(context.runs) <= 4 and not any(map(math.isnan, outline)):
            axes.fill([*angles, angles[0]], closed, color=style.color, alpha=0.07, linewidth=0)
        handles.append(line)
    radar_frame(axes, [_spoke(context, key) for key in keys], angles, (low, top))
    return handles


def _spoke(context: FigureContext, key: str) -> str:
    """The label of an axis, without the name of its category where that stands in front."""
    parents = [parent for parent in context.sheet.keys(context.groups[0]) if key.startswith(f"{parent}_")]
    return axis_label(key, parents[0] if parents else "")


def ring_ends(metric: str, values: Sequence[float]) -> tuple[float, float]:
    """From where to where a radar goes: marks over their whole scale, percentages to a round figure above all.

    >>> ring_ends("miou", [17.1, 3.0]), ring_ends(MetricName("average", "Average", low=1, high=5), [2.4])
    ((0.0, 20.0), (1, 5))
    """
    low, high = ends(metric)
    short_scale = isinstance(metric, MetricName) and (low, high) != (0.0, 100.0) and metric.unit != "dB"
    return (low, high) if short_scale else (0.0, _scale(max(values, default=0.0)))


def _scale(largest: float) -> float:
    """A round maximum just above the largest value.

    >>> _scale(17.1), _scale(55.4), _scale(100.0), _scale(0.0)
    (20.0, 60.0, 100.0, 5.0)
    """
    step = 20.0 if largest > 40 else 10.0 if largest > 15 else 5.0
    return max(step * math.ceil(largest / step), 5.0)


def radar_frame(axes: Axes, labels: Sequence[str], angles: Sequence[float], span: tuple[float, float]) -> None:
    """Rings and labels of a radar whose axes stand at these angles, on a scale from the middle to the rim."""
    low, top = span
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(low, top)
    rings = [low + (top - low) * part for part in (0.25, 0.5, 0.75, 1.0)]
    axes.set_yticks(rings, [*(f"{ring:g}" for ring in rings[:-1]), "" if len(labels) > 8 else f"{top:g}"])
    axes.set_rlabel_position(math.degrees(angles[1]) / 2)
    axes.tick_params(axis="y", labelsize=5.5, labelcolor=SOFT)
    axes.set_xticks(list(angles), [""] * len(angles))
    crowded = len(labels) > 8
    for label, angle in zip(labels, angles, strict=True):
        side, up = math.sin(angle), math.cos(angle)
        axes.text(
            angle, low + 1.07 * (top - low), label if crowded else two_lines(label),
            va="center" if abs(up) < 0.95 else "bottom" if up > 0 else "top",
            fontsize=5.6 if crowded else 6.5, ha="center" if abs(side) < 0.15 else "left" if side > 0 else "right",
        )  # fmt: skip
    axes.grid(color=RULE, linewidth=0.5)
    axes.spines["polar"].set_color(RULE)


def _best_published(context: FigureContext, by: str, keys: Sequence[str]) -> tuple[str, list[float]]:
    """The best published model that has a figure for every axis, in the setting its paper ranks by; or nothing."""
    for column, figures in context.group_figures.published_models() if context.published else ():
        cells = [figures.get((by, key, context.sheet.headline)) for key in keys]
        values = [float(cell.value) for cell in cells if cell is not None and cell.value is not None]
        if len(values) == len(keys):
            return column.edition["model"], values
    return "", []


def _published_outline(axes: Axes, printed: tuple[str, list[float]], angles: Sequence[float]) -> list[Any]:
    """The best published model, dashed and gray."""
    name, outline = printed
    (line,) = axes.plot(
        [*angles, angles[0]], [*outline, outline[0]], color=PAPER_GRAY, linestyle=(0, (2, 1.5)), linewidth=1.0,
        label=f"{short(name)} (published)",
    )  # fmt: skip
    return [line]


@figure(
    "tasks",
    "Every task with its 95 % interval, in the order of the suite's tables.",
    judged="Every row of the suite's main table with its 95 % interval.",
)
def tasks(context: FigureContext) -> Figure:
    """One line for each task, one dot for each run, tasks under their category; a judged suite has its own rows."""
    table = context.group_figures
    outer, by = context.groups
    if not by:
        raise NothingToDraw("the main table of this suite does not divide its cases")
    record = group_means(context.sheet, by)
    nested = table.inside(outer, by) if outer and table.refines(by, outer) else {"": list(record.keys)}
    lines: list[tuple[str, str]] = []
    for key, members in nested.items():
        lines += [("", plain(key))] if key else []
        lines += [(member, axis_label(member, key)) for member in members]
    count = len(context.runs)
    step = 0.125 + 0.017 * min(count, 12)
    drawing = new_figure(context.inches, 0.45 + context.legend_height + step * len(lines))
    axes = drawing.subplots()
    handles: list[Any] = [None] * count
    for row, (key, _) in enumerate(lines):
        if not key:
            continue
        axes.axhline(row, color="#EFEFEF", linewidth=0.6, zorder=0)
        for place, (_, cells) in enumerate(record.runs):
            cell = cells[record.keys.index(key)] if key in record.keys else None
            if cell is not None:
                y = row + 0.66 * ((place + 0.5) / count - 0.5)
                handles[place] = _dot(axes, context, place, cell, y)
    if context.published:
        handles += _published_dots(axes, context, by, lines)
    _task_axis(axes, lines, context.sheet.headline)
    legend_above(drawing, [handle for handle in handles if handle is not None], context.inches)
    return drawing


def _dot(axes: Axes, context: FigureContext, place: int, cell: Any, y: float) -> Any:
    style = context.styles[place]
    low, high = cell["lo"], cell["hi"]
    if low is not None and high is not None:
        axes.plot([low, high], [y, y], color=style.color, linewidth=0.9, solid_capstyle="butt", zorder=2, alpha=0.8)
    (dot,) = axes.plot(
        cell["mean"], y, style.marker, color=style.color, alpha=FEW if is_few(cell) else 1.0, markersize=3.2,
        markeredgecolor="white", markeredgewidth=0.3,
        label=context.names[place], zorder=3, clip_on=False,
    )  # fmt: skip
    return dot


def _published_dots(axes: Axes, context: FigureContext, by: str, lines: Sequence[tuple[str, str]]) -> list[Any]:
    """The best published figure of each task in the setting that its paper ranks by, as a gray bar."""
    handles: list[Any] = []
    models = [figures for _, figures in context.group_figures.published_models()]
    for row, (key, _) in enumerate(lines):
        cells = [figures.get((by, key, context.sheet.headline)) for figures in models] if key else []
        values = [cell.value for cell in cells if cell is not None and cell.value is not None]
        if values:
            (mark,) = axes.plot(
                max(values), row, "|", color=PAPER_GRAY, markersize=8, markeredgewidth=1.2, zorder=1,
                label="best published",
            )  # fmt: skip
            handles = [mark]
    return handles


def _task_axis(axes: Axes, lines: Sequence[tuple[str, str]], metric: str) -> None:
    axes.set_yticks(range(len(lines)), [label for _, label in lines])
    for text, (key, _) in zip(axes.get_yticklabels(), lines, strict=True):
        if not key:
            text.set_fontweight("bold")
    (_, high), (worst, best) = axes.get_xlim(), ends(metric, math.inf if metric.endswith("_ratio") else 100.0)
    room = 0.01 * (high - worst)
    axes.set_xlim(worst - room, min(high, best + room))  # from the low end of the scale to just above all figures
    axes.set(ylim=(len(lines) - 0.5, -0.6), xlabel=metric_title(metric))
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
