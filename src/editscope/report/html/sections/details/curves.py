"""Curves of accuracy over the color tolerance, for the whole suite and for every row of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editscope.report.figure_data.curves import CURVES, tolerance_curves
from editscope.report.html import inline_bars as charts
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Choices, Json, Line, LinePlot, figure
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.stats.diagnosis import MeanCurves
from editscope.wording import plain

TOLERANCES = tuple(str(t) for t in range(11))


def tolerance(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Three curves over the tolerance for the whole suite, or for the row of a table that one chooses."""
    if not sheet.has_curves:
        return None
    versions = list(_curve_versions(sheet))
    if not versions:
        return None
    return el(
        "section",
        el("header", el("h2", "How tolerance changes the score"), cls="section-head"),
        el(
            "p",
            "Percent of pixels that count as right when colors may be off by ΔE 0 … 10. A curve that climbs is a "
            "color that is only near; a flat one is a shape in the wrong place.",
            cls="hint",
        ),
        _who(sheet.runs) if len(sheet.runs) > 1 else None,
        el("div", [_curve_plot(i, versions) for i in range(len(CURVES))], cls="plots three", data_group="curves"),
        cls="card",
        id=f"curves-{sheet.key}",
    )


Version = tuple[str, Sequence[tuple[RunView, MeanCurves, str]]]


def _curve_versions(sheet: Sheet) -> Iterator[Version]:
    """For the whole suite and each row of each table: its name, and every run's curves with a link to its cases."""
    whole = tolerance_curves(sheet)
    if not whole:
        return
    yield "All cases", [(view, curves, cases_query(view=view)) for view, curves in whole[0].runs]
    for group in sheet.aggregation.groups:
        if len(sheet.keys(group.name)) > 40:
            continue
        for row in tolerance_curves(sheet, group.by):
            tags = dict(zip(group.by, row.key, strict=True))
            members = [(view, curves, cases_query(tags, view=view)) for view, curves in row.runs]
            yield f"{plain(group.name)}: {' · '.join(plain(value) for value in row.key)}", members


def _curve_plot(which: int, versions: Sequence[Version]) -> Html:
    plots = [(name, _lines(which, members)) for name, members in versions]
    first = plots[0][1]
    order = [line.index for line in first.lines]
    patches = [(name, _patches(plot, order)) for name, plot in plots]
    arrangement = first.layout(270) | {"showlegend": False}
    choices = Choices("Cases", patches) if len(plots) > 1 else None
    _, title = CURVES[which]
    return figure(title, first.svg(title), first.traces(), arrangement, choices=choices, cls="small")


def _lines(which: int, members: Sequence[tuple[RunView, MeanCurves, str]]) -> LinePlot:
    lines = [
        Line(
            view.index,
            view.name,
            getattr(curves, CURVES[which][0]),
            link=link,
        )
        for view, curves, link in members
    ]
    return LinePlot(TOLERANCES, lines, "ΔE", "%", top=100.0)


def _patches(plot: LinePlot, order: Sequence[int]) -> list[Json]:
    """What changes in each trace of the first version; a run without such cases shows nothing."""
    known = {line.index: line for line in plot.lines}
    return [
        {"y": [round(v, 1) for v in known[index].values if v is not None], "meta": known[index].link}
        if index in known
        else {"y": [], "meta": ""}
        for index in order
    ]


def _who(views: Sequence[RunView]) -> Html:
    return el("ul", [el("li", charts.sample(view.index), badge(view), view.name) for view in views], cls="who-is-who")
