"""Fidelity to the pixels that should stay, over the color tolerance."""

from __future__ import annotations

from collections.abc import Sequence

from editscope.report.figure_data.statistics import preservation
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Line, LinePlot, figure
from editscope.report.html.section_parts import section_card
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.stats.diagnosis import Fidelity


def fidelity(sheet: Sheet, options: ReportOptions) -> Html | None:
    """How much of what should stay does stay: in edits, and where the whole picture was to be returned."""
    measured = [(view, kept) for view in sheet.runs if sheet.has_curves and (kept := preservation(sheet, view))]
    if not measured:
        return None
    apart = [(view, kept.diagnostic) for view, kept in measured if kept.diagnostic]
    plots = [_kept_plot("In edits: the pixels that should stay", measured)]
    if apart:
        plots.append(_kept_plot("Asked to change nothing: the whole picture", apart))
    return section_card(
        sheet,
        "fidelity",
        "What should stay",
        "Percent of the pixels that are still the input’s when colors may be off by ΔE 0 … 10: median over cases, "
        "bars from the lower to the upper quartile. A model that copies pixels starts near 100; one that redraws the "
        "picture starts near 0, and cannot do better in any edit than where it was asked to change nothing.",
        [el("div", plots, cls="plots")],
    )


def _kept_plot(title: str, measured: Sequence[tuple[RunView, Fidelity]]) -> Html:
    lines = [
        Line(view.index, view.name, kept.median, kept.lower, kept.upper, link=cases_query(view=view))
        for view, kept in measured
    ]
    plot = LinePlot([str(t) for t in range(11)], lines, "ΔE", "%", top=100.0, marks=True)
    return figure(title, plot.svg(title), plot.traces(), plot.layout(280), cls="small")
