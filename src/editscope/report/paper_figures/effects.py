"""What followed from the edit: recovery by effect, the ladder of levels, and exact scores against a judge's."""

from __future__ import annotations

import numpy as np

from editscope.report.figure_data.effects import EffectRows, ladder, recovery_by_effect
from editscope.report.figure_data.exact_and_judged import EXACT, exact_and_judged
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import COLORS, INK, Axes, Figure, new_figure, plain_axes
from editscope.suites import suite_title

ROW = 0.2
"""The height of a row in inches."""
MARKS = "osD^vP*X"


@figure("effects", "Recovery of every effect, with 95 % intervals.")
def effects(context: FigureContext) -> Figure:
    """Recovery by effect."""
    rows = recovery_by_effect(context.sheet)
    if rows is None:
        raise NothingToDraw("it needs runs on cases whose effects are known")
    return _drawn(context, rows, "Recovery (%)")


@figure("ladder", "Recovery of consequences by level of instruction, with 95 % intervals.")
def levels(context: FigureContext) -> Figure:
    """The ladder from the change alone to every consequence with its place."""
    rows = ladder(context.sheet)
    if rows is None:
        raise NothingToDraw("it needs runs on cases whose effects are known, at two levels of instruction")
    return _drawn(context, rows, "Consequences (%)")


@figure("exact-judged", "Exact score against judged accuracy of the same edits; a point is one run under one law.")
def exact_judged(context: FigureContext) -> Figure:
    """Edits that were scored exactly and judged."""
    pairs = exact_and_judged(context.model)
    if not pairs:
        raise NothingToDraw("it needs a run whose effects are known, and a judged run of the same edits")
    pair = pairs[0]
    drawing = new_figure(context.inches, 0.45 * context.inches)
    panels = np.ravel(drawing.subplots(1, len(EXACT), squeeze=False))
    said = {one.metric: one for one in pair.agreement}
    for axes, (metric, label) in zip(panels, EXACT.items(), strict=True):
        shown: set[int] = set()
        for view, _, x, y, _ in pair.means(metric):
            place = view.index % len(COLORS)
            name = view.name if view.index not in shown else None
            axes.plot(x, y, MARKS[view.index % 8], color=COLORS[place], markersize=4, label=name, clip_on=False)
            shown.add(view.index)
        axes.plot((0, 100), (0, 100), color=INK, linewidth=0.6, linestyle=(0, (1.2, 1.8)), zorder=1)
        title = ""
        if metric in said:
            one = said[metric]
            around = "" if one.lo is None or one.hi is None else f" ({one.lo:.2f} – {one.hi:.2f})"
            title = f"Spearman {one.value:.2f}{around}, {one.edits:,} edits"
        axes.set(xlim=(-2, 102), ylim=(-2, 102), xlabel=f"{label} (%)", title=title)
        plain_axes(axes, grid="both")
    panels[0].set_ylabel(f"{suite_title(pair.judged.suite)} accuracy (%)")
    panels[0].legend(loc="upper left", frameon=False)
    return drawing


def _drawn(context: FigureContext, rows: EffectRows, label: str) -> Figure:
    many = len(rows.cells)
    drawing = new_figure(context.inches, 0.75 + ROW * len(rows.labels) * max(1.0, 0.55 * many))
    axes: Axes = drawing.subplots()
    for place, (view, cells) in enumerate(rows.cells):
        color = COLORS[view.index % len(COLORS)]
        offset = 0.0 if many == 1 else ((place + 0.5) / many - 0.5) * 0.7
        there = [(row, cell) for row, cell in enumerate(cells) if cell is not None]
        for row, cell in there:
            if cell.get("lo") is not None and cell.get("hi") is not None:
                axes.plot((cell["lo"], cell["hi"]), (row + offset,) * 2, color=color, linewidth=1.1, alpha=0.55)
        points = [cell["mean"] for _, cell in there], [row + offset for row, _ in there]
        axes.plot(*points, MARKS[view.index % 8], color=color, markersize=4, label=context.names[place], clip_on=False)
    axes.set(xlim=(-2, 102), ylim=(len(rows.labels) - 0.4, -0.6), xlabel=label)
    axes.set_yticks(range(len(rows.labels)), rows.labels)
    plain_axes(axes, grid="x")
    if many > 1:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(many, 4), frameon=False)
    return drawing
