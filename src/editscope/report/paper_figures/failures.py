"""Shares of failure modes by category, or of the scores that judges gave by metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from editscope.report.figure_data.failures import shares_of_failures
from editscope.report.figure_data.judge_levels import LEVELS, level_labels, level_shares
from editscope.report.judged_runs import scales_of
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import FAILURE_COLORS, INK, SOFT, Axes, Figure, new_figure, two_lines
from editscope.stats.diagnosis import Shares
from editscope.wording import failure, failure_order

LIGHT = (
    "structural_imprecision",
    "no_output",
    "color_imprecision",
    "tone_shift",
    "too_weak",
    "consequences_only",
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
    present = {part for panel in panels for bar in panel.bars if bar for part, share in bar.items() if share}
    parts = [level for level in LEVELS if level in present] + failure_order(present - {*LEVELS})
    labels = level_labels(context.sheet) if context.sheet.judged else {}
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
    scored = {metric: panel for metric, panel in panels.items() if any(panel.bars)}
    if not scored:
        raise NothingToDraw("no judge gave scores in these runs")
    if len(scored) > 1:
        return list(scored.values())
    ((metric, whole),) = scored.items()
    by = context.groups[1] or context.groups[0]
    tag = next((g.by[0] for g in context.sheet.aggregation.groups if g.name == by and len(g.by) == 1), "")
    parts = [_panel(context, metric, *scales[metric], tag, key) for key in (context.sheet.keys(by) if tag else ())]
    return [replace(whole, bold=True), *(part for part in parts if any(part.bars))]


def _panel(
    context: FigureContext, metric: str, label: str, worst: float, best: float, tag: str = "", key: str = ""
) -> BarPanel:
    bars = [level_shares(view, metric, worst, best, {tag: key} if tag else {}) for view in context.runs]
    return BarPanel(axis_label(key) if tag else label, [bar or None for bar in bars])


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
                percent = ">99" if 99 < share < 100 else f"{share:.0f}"
                axes.text(left + share / 2, place, percent, ha="center", va="center_baseline", color=ink, fontsize=5.8)
            left += share
    axes.set(xlim=(0, 100), ylim=(len(bars) - 0.5, -0.5), xticks=(0, 100))
    axes.set_xticklabels(["0", "100 %"])
    axes.set_yticks(range(len(bars)), context.names)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
