"""The profile of a model: a radar of its categories, and every task with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from editscope.report.layouts import board
from editscope.report.paper.material import Material, NothingToDraw, axis_label, figure
from editscope.report.paper.style import (
    PAPER_GREY,
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
from editscope.report.words import metric_name, plain

MOST = 26
"""More axes than this are a hedgehog."""


@figure("radar", "The profile over categories and over tasks; the outer circle is the scale's maximum.")
def radar(material: Material) -> Figure:
    """One axis for each row of a group, one outline for each run: categories, and on a whole page tasks beside them."""
    groups = [name for name in (material.group(0), material.group(1)) if name and 3 <= len(material.keys(name)) <= MOST]
    if not groups:
        raise NothingToDraw("a radar needs at least three categories")
    groups = groups if material.wide else groups[:1]
    size = material.inches / 2 if material.wide else material.inches
    drawing = new_figure(size * len(groups), size * 0.82 + material.legend_height)
    panels = drawing.subplots(1, len(groups), squeeze=False, subplot_kw={"projection": "polar"})[0]
    handles: list[Any] = []
    for axes, by in zip(panels, groups, strict=True):
        handles = _outlines(axes, material, by, material.keys(by))
    legend_above(drawing, handles, size * len(groups))
    return drawing


def _outlines(axes: Axes, material: Material, by: str, keys: Sequence[str]) -> list[Any]:
    angles = [math.tau * i / len(keys) for i in range(len(keys))]
    outlines = [[_value(material.cell(view, by, key)) for key in keys] for view in material.runs]
    top = _scale(max(value for outline in outlines for value in outline))
    handles = _published_outline(axes, material, by, keys, angles, top) if material.published else []
    for name, look, outline in zip(material.names, material.looks, outlines, strict=True):
        closed = [*outline, outline[0]]
        (line,) = axes.plot(
            [*angles, angles[0]], closed, color=look.color, linestyle=look.dash, marker=look.marker, markersize=2.8,
            markeredgecolor="white", markeredgewidth=0.3, linewidth=1.1, label=name, clip_on=False,
        )  # fmt: skip
        if len(material.runs) <= 4:
            axes.fill([*angles, angles[0]], closed, color=look.color, alpha=0.07, linewidth=0)
        handles.append(line)
    _frame(axes, [_spoke(material, key) for key in keys], angles, top)
    return handles


def _spoke(material: Material, key: str) -> str:
    """The label of an axis, without the name of its category where that stands in front."""
    parents = [parent for parent in material.keys(material.group(0) or "") if key.startswith(f"{parent}_")]
    return axis_label(key, parents[0] if parents else "")


def _value(cell: Any) -> float:
    return 0.0 if cell is None else float(cell["mean"])


def _scale(largest: float) -> float:
    """A round maximum just above the largest value.

    >>> _scale(17.1), _scale(55.4), _scale(100.0), _scale(0.0)
    (20.0, 60.0, 100.0, 5.0)
    """
    step = 20.0 if largest > 40 else 10.0 if largest > 15 else 5.0
    return max(step * math.ceil(largest / step), 5.0)


def _frame(axes: Axes, labels: Sequence[str], angles: Sequence[float], top: float) -> None:
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(0, top)
    rings = [top * part for part in (0.25, 0.5, 0.75, 1.0)]
    axes.set_yticks(rings, [*(f"{ring:g}" for ring in rings[:-1]), "" if len(labels) > 8 else f"{top:g}"])
    axes.set_rlabel_position(math.degrees(angles[1]) / 2)
    axes.tick_params(axis="y", labelsize=5.5, labelcolor=SOFT)
    axes.set_xticks(list(angles), [""] * len(angles))
    crowded = len(labels) > 8
    for label, angle in zip(labels, angles, strict=True):
        side = math.sin(angle)
        axes.text(
            angle, 1.07 * top, label if crowded else two_lines(label), va="center", fontsize=5.6 if crowded else 6.5,
            ha="center" if abs(side) < 0.15 else "left" if side > 0 else "right",
        )  # fmt: skip
    axes.grid(color=RULE, linewidth=0.5)
    axes.spines["polar"].set_color(RULE)


def _published_outline(
    axes: Axes, material: Material, by: str, keys: Sequence[str], angles: Sequence[float], top: float
) -> list[Any]:
    """The best published model, dashed and grey."""
    columns = board(material.sheet, published=True)
    for column, figures in zip(columns.columns, columns.figures, strict=True):
        cells = [figures.get((by, key, material.sheet.headline)) for key in keys]
        if column.published and all(cell is not None and cell.value is not None for cell in cells):
            outline = [min(float(cell.value or 0.0), top) for cell in cells if cell is not None]
            (line,) = axes.plot(
                [*angles, angles[0]], [*outline, outline[0]], color=PAPER_GREY, linestyle=(0, (2, 1.5)), linewidth=1.0,
                label=f"{short(column.label)} ({column.note})",
            )  # fmt: skip
            return [line]
    return []


@figure("tasks", "Every task with its 95 % interval, in the order of the suite's tables.")
def tasks(material: Material) -> Figure:
    """One line for each task, one dot for each run, tasks under their category."""
    table = board(material.sheet, published=material.published)
    outer, by = material.group(0), material.group(1)
    if by is None or outer is None or not material.keys(by):
        raise NothingToDraw("the tables of this suite have no tasks inside categories")
    nested = table.inside(outer, by) if table.refines(by, outer) else {"": material.keys(by)}
    lines: list[tuple[str, str]] = []
    for key, members in nested.items():
        lines += [("", plain(key)), *((member, axis_label(member, key)) for member in members)]
    count = len(material.runs)
    step = 0.125 + 0.017 * min(count, 12)
    drawing = new_figure(material.inches, 0.45 + material.legend_height + step * len(lines))
    axes = drawing.subplots()
    handles: list[Any] = [None] * count
    for row, (key, _) in enumerate(lines):
        if not key:
            continue
        axes.axhline(row, color="#EFEFEF", linewidth=0.6, zorder=0)
        for place, view in enumerate(material.runs):
            cell = material.cell(view, by, key)
            if cell is not None:
                y = row + 0.66 * ((place + 0.5) / count - 0.5)
                handles[place] = _dot(axes, material, place, cell, y)
    if material.published:
        handles += _published_dots(axes, material, table, by, lines)
    _task_axis(axes, lines, metric_name(material.sheet.headline))
    legend_above(drawing, [handle for handle in handles if handle is not None], material.inches)
    return drawing


def _dot(axes: Axes, material: Material, place: int, cell: Any, y: float) -> Any:
    look = material.looks[place]
    low, high = cell["lo"], cell["hi"]
    if low is not None and high is not None:
        axes.plot([low, high], [y, y], color=look.color, linewidth=0.9, solid_capstyle="butt", zorder=2, alpha=0.8)
    (dot,) = axes.plot(
        cell["mean"], y, look.marker, color=look.color, markersize=3.2, markeredgecolor="white", markeredgewidth=0.3,
        label=material.names[place], zorder=3, clip_on=False,
    )  # fmt: skip
    return dot


def _published_dots(axes: Axes, material: Material, table: Any, by: str, lines: Sequence[tuple[str, str]]) -> list[Any]:
    """The best published figure of each task, as a grey bar."""
    handles: list[Any] = []
    for row, (key, _) in enumerate(lines):
        cells = table.cells(by, key, material.sheet.headline) if key else ()
        values = [cell.value for cell in cells if cell is not None and cell.published and cell.value is not None]
        if values:
            (mark,) = axes.plot(
                max(values), row, "|", color=PAPER_GREY, markersize=8, markeredgewidth=1.2, zorder=1,
                label="best published",
            )  # fmt: skip
            handles = [mark]
    return handles


def _task_axis(axes: Axes, lines: Sequence[tuple[str, str]], metric: str) -> None:
    axes.set_yticks(range(len(lines)), [label for _, label in lines])
    for text, (key, _) in zip(axes.get_yticklabels(), lines, strict=True):
        if not key:
            text.set_fontweight("bold")
    low, high = axes.get_xlim()
    axes.set_xlim(min(0.0, low) if low < -0.5 else -0.01 * high, min(high, 101.0))
    axes.set(ylim=(len(lines) - 0.5, -0.6), xlabel=f"{metric} (%)")
    axes.tick_params(axis="y", length=0)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)
