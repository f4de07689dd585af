"""Scores on two suites against each other: one point for each model, with the line through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.report.figure_data.correlation import (
    diagonal,
    on_one_scale,
    printed_scores,
    ranking_metric,
    run_scores,
)
from editscope.report.model import RunView
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import (
    COLORS,
    INK,
    PAPER_GRAY,
    SOFT,
    Axes,
    Figure,
    new_figure,
    plain_axes,
    short,
)
from editscope.stats.relation import Relation, relate
from editscope.suites import suite_title
from editscope.wording import ends, metric_title

LEAST = 3
SHAPE = 0.82
"""How high a panel is, by its width."""
SIDES = ((1, 0.0), (-1, 0.0), (1, 0.08), (-1, 0.08), (1, -0.08), (-1, -0.08))
PLACES = (*SIDES, (0, 0.11), (0, -0.11), (1, 0.16), (1, 0.25))
"""Where a name may stand: at the right or left of its point, so many inches above it."""
Box: TypeAlias = "tuple[float, float, float, float]"
Scores: TypeAlias = "tuple[Mapping[str, float], Mapping[str, float]]"


@dataclass(frozen=True)
class ScorePanel:
    """Scores of the same models on two suites; ``setting`` says below each axis how the scores were come by."""

    title: str
    scores: Scores
    color: str
    setting: tuple[str, str] = ("", "")


@figure(
    "correlation",
    "Scores of the same models on two suites, with the least-squares line and its 95 % band; dotted: y = x.",
)
def correlation(context: FigureContext) -> Figure:
    """Editors that were run on two suites, and published models if asked for: each suite by its own headline."""
    suites = _suites(context)
    try:
        panels = [(panel, relate(*panel.scores)) for panel in _panels(context, suites)]
    except BadInput as error:
        raise NothingToDraw(str(error)) from error
    if not panels:
        raise NothingToDraw("it needs three editors that were run on two suites, or --with-published")
    metrics = [ranking_metric(context.model, suite) for suite in suites]
    across = len(panels) if context.wide else 1
    side = context.inches / 2 if context.wide else context.inches
    drawing = new_figure(side * across, SHAPE * side * len(panels) / across)
    axes_ = np.ravel(drawing.subplots(len(panels) // across, across, squeeze=False))
    for axes, (panel, relation) in zip(axes_, panels, strict=True):
        _scatter(axes, relation, panel.color, side, metrics)
        titles = [f"{suite_title(suite)} {metric_title(metric)}" for suite, metric in zip(suites, metrics, strict=True)]
        labels = [f"{title}\n{more}" if more else title for title, more in zip(titles, panel.setting, strict=True)]
        axes.set(title=panel.title, xlabel=labels[0], ylabel=labels[1])
    return drawing


def _suites(context: FigureContext) -> tuple[str, str]:
    """Two suites to compare: those of the runs, or this one and the one whose published models it shares most of."""
    suites = list(dict.fromkeys(sheet.suite for sheet in context.model.sheets))
    if len(suites) > 1:
        return suites[0], suites[1]
    if context.published:
        from editscope.published import suites as known

        ours = printed_scores(context.model, suites[0]).keys()
        shared = {
            other: len(ours & printed_scores(context.model, other).keys()) for other in known() if other != suites[0]
        }
        partner = max(shared, key=lambda other: shared[other])  # the first of equal ones
        if shared[partner] >= LEAST:
            return suites[0], partner
    raise NothingToDraw("it needs runs on two suites, or --with-published for a suite whose paper has two")


def _panels(context: FigureContext, suites: tuple[str, str]) -> list[ScorePanel]:
    """The runs, then the published models, as far as three of them have both suites."""
    first, second = suites
    panels = [ScorePanel("These runs", _run_scores(context, suites), COLORS[0])]
    if context.published:
        printed = (printed_scores(context.model, first), printed_scores(context.model, second))
        panels.append(ScorePanel("Published (authors' sets)", printed, PAPER_GRAY, (_setting(first), _setting(second))))
    return [panel for panel in panels if len(panel.scores[0].keys() & panel.scores[1].keys()) >= LEAST]


def _run_scores(context: FigureContext, suites: tuple[str, str]) -> Scores:
    """The headline of every editor on both suites, by its spec."""
    first, second = (run_scores(context.model, suite, _spec) for suite in suites)
    return {name: mean for name, (_, mean) in first.items()}, {name: mean for name, (_, mean) in second.items()}


def _spec(view: RunView) -> str:
    editor = view.run.info["editor"]
    return str(editor.get("spec") or editor["name"])


def _setting(suite: str) -> str:
    """The judge, level and language of a suite's published scores, in a few words."""
    from editscope.published import main_setting

    setting = main_setting(suite)
    language = {"en": "English", "cn": "Chinese"}.get(setting["language"], "")
    return ", ".join(
        part for part in (setting["judge"] and f"judge {setting['judge']}", setting["level"], language) if part
    )


def _scatter(axes: Axes, relation: Relation, color: str, side: float, metrics: Sequence[str]) -> None:
    x, y = np.array(relation.x), np.array(relation.y)
    reach = np.linspace(x.min() - 0.04 * np.ptp(x), x.max() + 0.04 * np.ptp(x), 80)
    low, high = relation.fit.band(reach)
    axes.fill_between(reach, low, high, color=color, alpha=0.15, linewidth=0)
    axes.plot(reach, relation.fit.at(reach), color=color, linewidth=1.0)
    axes.plot(x, y, "o", color=color, markeredgecolor="white", markeredgewidth=0.5, markersize=4.5, clip_on=False)
    bottom, _ = ends(metrics[1])  # the low end of its scale, such as 1
    rise = max(y.max() - bottom, 1e-9)
    axes.set(xlim=(reach[0], reach[-1]), ylim=(bottom - 0.065 * rise, bottom + 1.08 * rise))
    axes.xaxis.get_major_locator().set_params(integer=np.ptp(x) > 7, nbins=7)
    p = relation.fit.p
    p_text = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    text = f"R² = {relation.fit.r2:.2f}, {p_text}\nn = {relation.fit.n}"
    size = (side - 0.5, SHAPE * side - 0.55)
    left, top = _free_corner(axes, relation, size)
    axes.text(
        0.04 if left else 0.97, 0.96 if top else 0.04, text, transform=axes.transAxes,
        ha="left" if left else "right", va="top" if top else "bottom", color=INK,
    )  # fmt: skip
    taken = [_corner(size, left=left, top=top), *_equal_scores(axes, metrics, size)]
    _names(axes, relation, size, taken)
    plain_axes(axes, grid="both")


def _equal_scores(axes: Axes, metrics: Sequence[str], size: tuple[float, float]) -> list[Box]:
    """The line on which a model is as good at one suite as at the other, where both are measured alike.

    The answer is the room that its label takes, two thirds along the line, to the left of it.
    """
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    line = diagonal((x0, x1), (y0, y1)) if on_one_scale(*metrics) else None
    if line is None:
        return []
    axes.plot(line, line, color=PAPER_GRAY, linewidth=0.9, linestyle=(0, (1.2, 1.8)), zorder=1, label="y = x")
    at = line[0] + 0.66 * (line[1] - line[0])
    across, up = (at - x0) / (x1 - x0), (at - y0) / (y1 - y0)
    axes.text(
        across - 0.02,
        up + 0.02,
        "y = x",
        transform=axes.transAxes,
        ha="right",
        va="bottom",
        fontsize=5.6,
        color=PAPER_GRAY,
    )
    right, low = (across - 0.02) * size[0], (up + 0.02) * size[1]
    return [(right - 0.25, low, right, low + 0.1)]


def _places(axes: Axes, relation: Relation, size: tuple[float, float]) -> list[tuple[float, float]]:
    """Where the points lie, in inches from the lower left."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return [
        ((x - left) / (right - left) * size[0], (y - bottom) / (top - bottom) * size[1])
        for x, y in zip(relation.x, relation.y, strict=True)
    ]


def _corner(size: tuple[float, float], *, left: bool, top: bool) -> Box:
    """The room that the figures of the fit take in a corner."""
    x, y = 0.0 if left else size[0] - 1.25, size[1] - 0.34 if top else 0.0
    return x, y, x + 1.25, y + 0.34


def _free_corner(axes: Axes, relation: Relation, size: tuple[float, float]) -> tuple[bool, bool]:
    """The corner, as (left, top), for the figures of the fit: upper left, or lower right where points lie there."""
    x0, y0, x1, y1 = _corner(size, left=True, top=True)
    taken = any(x0 <= x <= x1 and y0 <= y <= y1 for x, y in _places(axes, relation, size))
    return (False, False) if taken else (True, True)


def _names(axes: Axes, relation: Relation, size: tuple[float, float], kept: Sequence[Box]) -> None:
    """Names beside points: each where it covers neither a point nor another name, or not at all."""
    points = _places(axes, relation, size)
    taken = [(x - 0.035, y - 0.035, x + 0.035, y + 0.035) for x, y in points]
    taken += kept
    for name, (x, y) in sorted(zip(relation.names, points, strict=True), key=lambda item: (-item[1][1], item[0])):
        text = short(name.removeprefix("ref:"), 24)
        wide, tall = 0.043 * len(text), 0.085
        for across, up in PLACES:
            low_x = x + 0.06 if across > 0 else x - 0.06 - wide if across < 0 else x - wide / 2
            low_y = y + up - tall / 2
            box = (low_x, low_y, low_x + wide, low_y + tall)
            inside = box[0] >= 0 and box[2] <= size[0] and box[1] >= 0 and box[3] <= size[1]
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                axes.text(
                    (low_x + wide / 2) / size[0], (low_y + tall / 2) / size[1], text, transform=axes.transAxes,
                    ha="center", va="center", fontsize=5.6, color=SOFT,
                )  # fmt: skip
                break


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
