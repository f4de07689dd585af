"""Shares of failure modes by category, or of the scores that judges gave by metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor

import numpy as np

from editscope.cases import NOTHING
from editscope.report.figure_data.failures import shares_of_failures
from editscope.report.judged_runs import scales_of
from editscope.report.model import RunView
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import FAILURE_COLORS, INK, SOFT, Axes, Figure, new_figure, two_lines
from editscope.results.accounting import accounting_of
from editscope.stats.diagnosis import Shares
from editscope.wording import failure, failure_order

LIGHT = (
    "structural_imprecision",
    "no_output",
    "color_imprecision",
    "execution_omission",
    "left_out",
    "level 2",
    "level 3",
)
LEVEL_COLORS = {
    "level 1": "#B2182B",
    "level 2": "#EF8A62",
    "level 3": "#D1C9B8",
    "level 4": "#67A9CF",
    "level 5": "#2166AC",
}
"""Fifths of a scale from worst to best; red and blue are told apart by all."""
STATUS_COLORS = {
    "refused": "#8C8C8C",
    "unparsed": "#707070",
    "error": "#404040",
    "not_applicable": "#F4F4F4",
    "left_out": "#E4E4E4",
}
LEVELS = tuple(LEVEL_COLORS)


@dataclass(frozen=True)
class BarPanel:
    """One frame of bars: for each run, percentages by part; none for a run that has no such cases."""

    title: str
    bars: Sequence[Mapping[str, float] | None]
    bold: bool = False


@figure(
    "failures",
    "Shares of cases by failure mode, for all cases and in every category.",
    judged="Shares of the scores that the judge gave, worst to best, for each metric; gray: no verdict or no edit.",
)
def failures(context: FigureContext) -> Figure:
    """Stacked bars, one for each run; a panel for each category, or for each metric that a judge gave scores of."""
    panels = _by_metric(context) if context.sheet.judged else _by_category(context)
    found = {part for panel in panels for bar in panel.bars if bar for part, share in bar.items() if share}
    parts = [level for level in LEVELS if level in found] + failure_order(found - {*LEVELS})
    labels = level_labels(context) if context.sheet.judged else {}
    columns = min(len(panels), 6 if context.wide else 1)
    rows_ = -(-len(panels) // columns)
    height = (0.34 if context.wide else 0.24) + 0.17 * len(context.runs)
    legend = 0.17 * (1 if context.wide else 3)
    drawing = new_figure(context.inches, rows_ * height + legend + 0.3)
    frames = np.ravel(drawing.subplots(rows_, columns, sharex=True, sharey=True, squeeze=False))
    for axes, panel in zip(frames, panels, strict=False):
        _stack(axes, context, panel.bars, parts)
        title = two_lines(panel.title) if context.wide else panel.title
        axes.set_title(title, fontweight="bold" if panel.bold else "normal")
    for axes in frames[len(panels) :]:
        axes.set_visible(False)
    handles = [_swatch(part, labels.get(part) or failure(part).label) for part in parts]
    drawing.legend(handles=handles, loc="outside lower center", ncols=len(parts) if context.wide else 2)
    return drawing


def _by_category(context: FigureContext) -> list[BarPanel]:
    """Failure modes of all cases and of each category."""
    outer, inner = context.groups
    name = outer or inner
    by = next((group.by for group in context.sheet.aggregation.groups if group.name == name), ())
    if any("failure" not in view.rows for view in context.runs):
        raise NothingToDraw("these runs have no failure modes")
    rows = [*shares_of_failures(context.sheet), *(shares_of_failures(context.sheet, by) if by else ())]
    shares = {row.key: [_percentages(of_run) for _, of_run in row.runs] for row in rows}
    keys = [key for key in [(), *(tuple(key.split("/")) for key in context.sheet.keys(name))] if key in shares]
    if len(keys) == 2:
        keys = keys[:1]  # one category is all cases again
    return [BarPanel(axis_label(key[-1]) if key else "All cases", shares[key], bold=not key) for key in keys]


def _percentages(shares: Shares | None) -> Mapping[str, float] | None:
    return None if shares is None else {mode: 100 * share for mode, share in shares.shares.items()}


def _by_metric(context: FigureContext) -> list[BarPanel]:
    """The scores of each metric that a judge was asked for, in five levels; what has none by its status.

    Where there is one metric only, its panel is followed by one for each row of the suite's main table.
    """
    scales = scales_of(context.runs[0].run.info)
    panels = {metric: _panel(context, metric, *scale) for metric, scale in scales.items()}
    found = {metric: panel for metric, panel in panels.items() if any(panel.bars)}
    if not found:
        raise NothingToDraw("no judge gave scores in these runs")
    if len(found) > 1:
        return list(found.values())
    ((metric, whole),) = found.items()
    by = context.groups[1] or context.groups[0]
    tag = next((g.by[0] for g in context.sheet.aggregation.groups if g.name == by and len(g.by) == 1), "")
    parts = [_panel(context, metric, *scales[metric], tag, key) for key in (context.sheet.keys(by) if tag else ())]
    return [replace(whole, bold=True), *(part for part in parts if any(part.bars))]


def _panel(
    context: FigureContext, metric: str, label: str, worst: float, best: float, tag: str = "", key: str = ""
) -> BarPanel:
    bars = [level_shares(view, metric, worst, best, {tag: key} if tag else {}) for view in context.runs]
    return BarPanel(axis_label(key) if tag else label, [bar or None for bar in bars])


def level_shares(
    view: RunView, metric: str, worst: float, best: float, of: Mapping[str, str] = NOTHING
) -> dict[str, float]:
    """Percentages of a metric's numbers by level, or by status where there is none; empty for a computed metric.

    ``of`` are tags that a number must have to count. The released accounting has numbers for pictures that are missing,
    and leaves numbers out although a judge was asked.
    """
    rows = view.scores
    released = accounting_of(view.run.info) == "released"
    counts: Counter[str] = Counter()
    columns = (rows[name] for name in ("metric", "key", "value", "status", "edit_status"))
    for place, (name, key, found, status, edit) in enumerate(zip(*columns, strict=True)):
        if name == metric and key and all(rows[tag][place] == value for tag, value in of.items()):
            missing = edit if edit != "ok" else status if status != "ok" else "left_out"
            counted = found is not None and (released or edit == "ok")
            counts[LEVELS[level_of(found, worst, best)] if counted else missing] += 1
    total = sum(counts.values())
    return {part: 100 * number / total for part, number in counts.items()}


def level_of(value: float, worst: float, best: float) -> int:
    """In which fifth of its scale a score lies, 0 (worst) to 4; a mean of several marks lies where the nearest does.

    >>> [level_of(mark, 1, 5) for mark in (1, 2, 3, 4, 5)], [level_of(mark, 1, 10) for mark in (1, 2, 3, 10)]
    ([0, 1, 2, 3, 4], [0, 0, 1, 4])
    >>> level_of(0, 0, 1), level_of(1, 0, 1)
    (0, 4)
    """
    steps = floor(value - worst + 0.5)
    return min(4, int(5 * steps / (best - worst)))


def level_labels(context: FigureContext) -> dict[str, str]:
    """What the levels are called: right and wrong, marks, or fifths where metrics have different scales."""
    scales = {
        (worst, best)
        for metric, (_, worst, best) in scales_of(context.runs[0].run.info).items()
        if any(level_shares(view, metric, worst, best) for view in context.runs)
    }
    if scales == {(0.0, 1.0)}:
        return {"level 1": "Wrong", "level 5": "Right"}
    if len(scales) == 1 and (scale := next(iter(scales)))[1] - scale[0] < 20:
        marks: dict[str, list[int]] = {level: [] for level in LEVELS}
        for mark in range(round(scale[0]), round(scale[1]) + 1):
            marks[LEVELS[level_of(mark, *scale)]].append(mark)
        return {level: f"{own[0]}" if len(own) == 1 else f"{own[0]}–{own[-1]}" for level, own in marks.items() if own}
    return dict(zip(LEVELS, ("Lowest fifth", "Second", "Middle", "Fourth", "Highest fifth"), strict=True))


def _swatch(part: str, label: str) -> object:
    from matplotlib.patches import Patch

    return Patch(facecolor=_color(part), edgecolor="white", label=label)


def _color(part: str) -> str:
    return LEVEL_COLORS.get(part) or FAILURE_COLORS.get(part) or STATUS_COLORS.get(part, SOFT)


def _stack(
    axes: Axes, context: FigureContext, bars: Sequence[Mapping[str, float] | None], parts: Sequence[str]
) -> None:
    for place, bar in enumerate(bars):
        left = 0.0
        for part in parts:
            share = bar.get(part, 0.0) if bar else 0.0
            if not share:
                continue
            axes.barh(place, share, 0.74, left=left, color=_color(part), edgecolor="white", linewidth=0.4)
            if share >= 18:
                ink = INK if part in LIGHT else "white"
                said = ">99" if 99 < share < 100 else f"{share:.0f}"
                axes.text(left + share / 2, place, said, ha="center", va="center_baseline", color=ink, fontsize=5.8)
            left += share
    axes.set(xlim=(0, 100), ylim=(len(bars) - 0.5, -0.5), xticks=(0, 100))
    axes.set_xticklabels(["0", "100 %"])
    axes.set_yticks(range(len(bars)), context.names)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
