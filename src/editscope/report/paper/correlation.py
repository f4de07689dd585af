"""How scores on two suites go together: one point for each model, with the line through them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.report.paper.material import Material, NothingToDraw, figure
from editscope.report.paper.style import COLORS, INK, PAPER_GREY, SOFT, Axes, Figure, new_figure, plain_axes, short
from editscope.report.words import metric_name, suite_name
from editscope.stats.relation import Relation, relate

LEAST = 3
SHAPE = 0.82
"""How high a panel is, by its width."""
SIDES = ((1, 0.0), (-1, 0.0), (1, 0.08), (-1, 0.08), (1, -0.08), (-1, -0.08))
PLACES = (*SIDES, (0, 0.11), (0, -0.11), (1, 0.16), (1, 0.25))
"""Where a name may stand: at the right or left of its point, so many inches above it."""
Box: TypeAlias = "tuple[float, float, float, float]"
Scores: TypeAlias = "tuple[Mapping[str, float], Mapping[str, float]]"


@figure("correlation", "Scores of the same models on two suites, with the least-squares line and its 95 % band.")
def correlation(material: Material) -> Figure:
    """Editors that were run on two suites, and published models if asked for."""
    first, second = _suites(material)
    panels: list[tuple[str, Relation, str]] = []
    try:
        for title, scores, color in _sources(material, first, second):
            panels.append((title, relate(*scores), color))
    except BadInput as error:
        raise NothingToDraw(str(error)) from error
    if not panels:
        raise NothingToDraw("it needs three editors that were run on two suites, or --with-published")
    across = len(panels) if material.wide else 1
    side = material.inches / 2 if material.wide else material.inches
    drawing = new_figure(side * across, SHAPE * side * len(panels) / across)
    axes_ = np.ravel(drawing.subplots(len(panels) // across, across, squeeze=False))
    for axes, (title, relation, color) in zip(axes_, panels, strict=True):
        _scatter(axes, relation, color, side)
        axes.set_title(title)
        axes.set_xlabel(f"{suite_name(first)} {metric_name(material.sheet.headline)} (%)")
        axes.set_ylabel(f"{suite_name(second)} {metric_name(material.sheet.headline)} (%)")
    return drawing


def _suites(material: Material) -> tuple[str, str]:
    """Two suites to compare: those of the runs, or this one and another that its paper has models of."""
    suites = list(dict.fromkeys(sheet.suite for sheet in material.model.sheets))
    if len(suites) > 1:
        return suites[0], suites[1]
    if material.published:
        from editscope.published import leaderboard
        from editscope.published import suites as known

        headline = material.sheet.headline
        ours = {result.model for result in leaderboard(suites[0], headline)}
        for other in known():
            shared = ours & {result.model for result in leaderboard(other, headline)}
            if other != suites[0] and len(shared) >= LEAST:
                return suites[0], other
    raise NothingToDraw("it needs runs on two suites, or --with-published for a suite whose paper has two")


def _sources(material: Material, first: str, second: str) -> list[tuple[str, Scores, str]]:
    """Titles, scores on both suites by model, and colours."""
    found: list[tuple[str, Scores, str]] = []
    ours = (_run_scores(material, first), _run_scores(material, second))
    if len(ours[0].keys() & ours[1].keys()) >= LEAST:
        found.append(("These runs", ours, COLORS[0]))
    if material.published:
        from editscope.published import leaderboard

        metric = material.sheet.headline
        x, y = ({result.model: result.value for result in leaderboard(suite, metric)} for suite in (first, second))
        if len(x.keys() & y.keys()) >= LEAST:
            found.append(("Published (authors' sets)", (x, y), PAPER_GREY))
    return found


def _run_scores(material: Material, suite: str) -> dict[str, float]:
    """The headline of every editor on a suite; where sets differ, the first set that it was run on."""
    scores: dict[str, float] = {}
    for sheet in material.model.sheets:
        if sheet.suite == suite:
            for view in sheet.runs:
                cell = view.summary["overall"].get(sheet.headline)
                editor = view.run.info["editor"]
                if cell and cell["mean"] is not None:
                    scores.setdefault(str(editor.get("spec") or editor["name"]), float(cell["mean"]))
    return scores


def _scatter(axes: Axes, relation: Relation, color: str, side: float) -> None:
    x, y = np.array(relation.x), np.array(relation.y)
    reach = np.linspace(x.min() - 0.04 * np.ptp(x), x.max() + 0.04 * np.ptp(x), 80)
    low, high = relation.fit.band(reach)
    axes.fill_between(reach, low, high, color=color, alpha=0.15, linewidth=0)
    axes.plot(reach, relation.fit.at(reach), color=color, linewidth=1.0)
    axes.plot(x, y, "o", color=color, markeredgecolor="white", markeredgewidth=0.5, markersize=4.5, clip_on=False)
    top = 1.08 * max(y.max(), 1e-9)
    axes.set(xlim=(reach[0], reach[-1]), ylim=(-0.06 * top, top))
    axes.xaxis.get_major_locator().set_params(integer=True, nbins=7)
    _names(axes, relation, (side - 0.5, SHAPE * side - 0.55))
    p = relation.fit.p
    said = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    text = f"R² = {relation.fit.r2:.2f}, {said}\nn = {relation.fit.n}"
    axes.text(0.04, 0.96, text, transform=axes.transAxes, va="top", color=INK)
    plain_axes(axes, grid="both")


def _names(axes: Axes, relation: Relation, size: tuple[float, float]) -> None:
    """Names beside points: each where it covers neither a point nor another name, or not at all."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    points = [
        ((x - left) / (right - left) * size[0], (y - bottom) / (top - bottom) * size[1])
        for x, y in zip(relation.x, relation.y, strict=True)
    ]
    taken = [(x - 0.035, y - 0.035, x + 0.035, y + 0.035) for x, y in points]
    taken.append((0.0, size[1] - 0.34, 1.25, size[1]))  # the figures in the corner
    for name, (x, y) in sorted(zip(relation.names, points, strict=True), key=lambda one: (-one[1][1], one[0])):
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
