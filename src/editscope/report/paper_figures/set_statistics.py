"""Statistics of a set: its questions by row, and how long its instructions are; drawn with or without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from editscope.report.figure_data.set_statistics import SetStatistics, statistics_of_runs, word_bins
from editscope.report.figure_data.splits import variant_label
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import COLORS, SOFT, Axes, Figure, new_figure, plain_axes
from editscope.wording import count, plain

BAR = 0.17
"""Inches: one row of questions or cases."""


@figure(
    "statistics",
    "Questions (or cases) by row of the main table, and the number of words of the instructions.",
)
def statistics(context: FigureContext) -> Figure:
    """What the largest run knows of its set."""
    by = {group.name: group.by[0] for group in context.sheet.aggregation.groups if len(group.by) == 1}
    tags = [by[name] for name in context.groups if name in by]
    return drawn_statistics(statistics_of_runs(context.sheet), tags, context.sheet.aggregation.orders, context.inches)


def drawn_statistics(
    record: SetStatistics, tags: Sequence[str], orders: Mapping[str, Sequence[str]], inches: float
) -> Figure:
    """Two panels: rows of the last of ``tags`` that cases have, with their questions; lengths of the instructions."""
    tag = next((tag for tag in reversed(tags) if any(tag in own for own in record.cases.values())), "")
    rows = _rows(record, tag, orders.get(tag, ())) if tag else {}
    if not rows and not any(record.words.values()):
        raise NothingToDraw("the cases of this set have neither categories nor instructions")
    wide = inches > 5
    down = 0.55 + BAR * len(rows)
    height = max(down, 1.9) if wide or not rows else down + 1.9
    drawing = new_figure(inches, height + 0.17)
    across = 2 if rows and any(record.words.values()) else 1
    shape = (1, across) if wide else (across, 1)
    ratios: dict[str, Any] = {} if wide or across == 1 else {"height_ratios": (down, 1.9)}
    frames = list(np.ravel(drawing.subplots(*shape, squeeze=False, **ratios)))
    if rows:
        _questions(frames.pop(0), record, rows)
    if frames:
        _words(frames.pop(0), record, orders)
    return drawing


def _rows(record: SetStatistics, tag: str, order: Sequence[str]) -> dict[str, dict[str, int]]:
    """Questions by row and right answer; cases where there are no questions."""
    if record.questions:
        return {key: dict(answers) for key, answers in record.questions_by(tag, order).items()}
    return {key: dict(counts) for key, counts in record.cases_by(tag, order).items()}


def _questions(axes: Axes, record: SetStatistics, rows: Mapping[str, Mapping[str, int]]) -> None:
    answers = sorted({answer for counts in rows.values() for answer in counts}, reverse=True)
    left = np.zeros(len(rows))
    for place, answer in enumerate(answers):
        widths = np.array([counts.get(answer, 0) for counts in rows.values()], dtype=np.float64)
        color = COLORS[place % len(COLORS)]
        axes.barh(range(len(rows)), widths, 0.74, left=left, color=color, alpha=0.8, label=plain(answer))
        left += widths
    for row, total in enumerate(left):
        axes.text(total, row, f" {total:,.0f}", va="center_baseline", fontsize=5.8, color=SOFT)
    axes.set_yticks(range(len(rows)), [axis_label(key) for key in rows])
    what = count(len(record.questions), "question") if record.questions else count(len(record.cases), "case")
    axes.set_title(what, loc="left")
    axes.set(ylim=(len(rows) - 0.45, -0.55), xlim=(0, 1.14 * max(left)))
    axes.tick_params(axis="y", length=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    if len(answers) > 1:
        handles, names = axes.get_legend_handles_labels()
        named = [f"right answer {name.lower()}" for name in names]
        axes.legend(handles, named, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=6, borderpad=0.1)
    plain_axes(axes, grid="x")
    axes.spines["left"].set_visible(False)


def _words(axes: Axes, record: SetStatistics, orders: Mapping[str, Sequence[str]]) -> None:
    """A histogram of lengths for each kind of instruction, with its median."""
    order = [*orders.get("level", ()), *orders.get("language", ()), *record.words]
    kinds = [kind for kind in dict.fromkeys(order) if record.words.get(kind)]
    ends_of, shares = word_bins({kind: record.words[kind] for kind in kinds})
    edges = np.array(ends_of) - 0.5  # whole words: a bar stands around its numbers
    for place, kind in enumerate(kinds):
        share = shares[kind]
        color, middle = COLORS[place % len(COLORS)], record.median_words(kind)
        label = f"{variant_label(kind)}: median {middle:g}" if kind else f"median {middle:g}"
        axes.stairs(share, edges, fill=True, color=color, alpha=0.3)
        axes.stairs(share, edges, color=color, linewidth=0.9, label=label)
        axes.axvline(middle, color=color, linewidth=0.8, linestyle=(0, (2, 1.5)))
    top = axes.get_ylim()[1] * (1.05 + 0.09 * len(kinds))  # room for the legend above all bars
    axes.set(xlim=(0, edges[-1]), ylim=(0, top), xlabel="Words of an instruction", ylabel="Instructions (%)")
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= min(top, 100)])
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_title(count(sum(len(record.words[kind]) for kind in kinds), "instruction"), loc="left")
    axes.legend(loc="upper right", fontsize=6, frameon=True, facecolor="white", edgecolor="none", framealpha=0.85)
    plain_axes(axes)
