"""Strengths and weaknesses of each run: by category, by task, and over its cases."""

from __future__ import annotations

from math import ceil
from typing import Any

from editscope.report.figure_data.groups import group_means, overall_mean
from editscope.report.html.links import cases_link, cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Dots, Point, Radar, Violin, Violins, figure
from editscope.report.html.section_parts import FEW, run_heat, section_card
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.stats.small_groups import enough, is_few, why_no_interval
from editscope.stats.summary import percent_scale
from editscope.wording import MetricName, ends, metric_name, metric_title, plain, value


def profile(sheet: Sheet, options: ReportOptions) -> Html | None:
    """The shape of a model: its categories as a radar, its cases as violins, its tasks as dots with intervals."""
    side = [plot for plot in (_radar(sheet), _spread(sheet)) if plot]
    tasks = _tasks(sheet)
    if not side and not tasks:
        return None
    few = len(sheet.runs) <= FEW
    return section_card(
        sheet,
        "profile",
        "Strengths and weaknesses",
        "Each row of the tables against the others. Dotted lines are the runs’ own overall means."
        if few
        else "Each row of the tables, run by run; the stronger the color, the better.",
        [el("div", el("div", side), el("div", tasks), cls="beside")]
        if side and tasks and few
        else [el("div", side, cls="plots"), tasks],
    )


def _radar(sheet: Sheet) -> Html | None:
    group, metric = sheet.coarse, sheet.headline
    if group is None or not 3 <= len(sheet.keys(group.name)) <= 12:
        return None
    record = group_means(sheet, group.name)
    rings = []
    for place, (view, _) in enumerate(record.runs):
        links = [cases_query(sheet.tags_of(group, key), view=view) for key in record.keys]
        rings.append((view.index, view.name, record.means(place), links))
    largest = max((v for _, _, values, _ in rings for v in values if v is not None), default=0.0)
    low, full = ends(metric, max(10.0, 10.0 * ceil(largest / 10.0)))
    plot = Radar([plain(key) for key in record.keys], rings, full, low)
    title = f"{metric_name(metric)} by {plain(group.name).lower()}"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), cls="small")


def _tasks(sheet: Sheet) -> Html | None:
    group, metric = sheet.fine, sheet.headline
    if group is None:
        return None
    record = group_means(sheet, group.name)
    title = f"{metric_name(metric)} by {plain(group.name).lower()}"
    labels = [" · ".join(plain(part) for part in key.split("/")) for key in record.keys]
    if len(sheet.runs) > FEW:
        return run_heat(
            sheet,
            title,
            labels,
            lambda i, view: view.cells(group.name, record.keys[i]).get(metric, {}).get("mean"),
            lambda i, view: cases_link(sheet.tags_of(group, record.keys[i]), view=view),
        )
    series = []
    for view, cells in record.runs:
        points = []
        for key, cell in zip(record.keys, cells, strict=True):
            link = cases_query(sheet.tags_of(group, key), view=view)
            points.append(_cell_point(cell, metric, plain(key), link))
        series.append((view.index, view.name, points))
    rules = [(cell["mean"], view.index) for view in sheet.runs if (cell := overall_mean(sheet, view))]
    plot = Dots(labels, series, metric_title(metric), span=_span(metric), lines=rules)
    return figure(title, plot.svg(title), plot.traces(), plot.layout())


def _span(metric: str) -> tuple[float, float] | None:
    """The axis of a metric: its whole scale with a little room; None for one without an upper end."""
    if metric.endswith("_ratio") or (isinstance(metric, MetricName) and metric.unit == "dB"):
        return None
    low, high = ends(metric)
    room = 0.015 * (high - low)
    return low - room, high + room


def _cell_point(cell: dict[str, Any] | None, metric: str, label: str, link: str) -> Point | None:
    if cell is None:
        return None
    tooltip = f"{label}: {value(cell['mean'], metric)}"
    if cell.get("lo") is not None:
        tooltip += f" ({value(cell['lo'], metric)} – {value(cell['hi'], metric)})"
    few = is_few(cell)
    tooltip += f"\n{cell['n']:,} cases" + (f", {why_no_interval(cell)}" if few else "")
    return Point(cell["mean"], cell.get("lo"), cell.get("hi"), tooltip, link, strong=not few, faint=few)


def _spread(sheet: Sheet) -> Html | None:
    """How the scores of cases are spread: many failures and few successes look unlike many halves."""
    metric = sheet.headline
    violins = []
    for view in sheet.runs:
        scale = percent_scale(metric)
        values = [r.metrics.get(metric) for r in sheet.averaged(view) if r.status == "ok"]
        known = [scale * v for v in values if v is not None]
        if enough(len(known)):
            violins.append(Violin(view.index, view.letter if len(sheet.runs) > 1 else "", known))
    low, high = ends(metric)
    if not violins or any(max(v.values) > high + 1e-6 or min(v.values) < low - 1e-6 for v in violins):
        return None
    title = f"{metric_name(metric)} of cases"
    plot = Violins(violins, metric_title(metric), low, high)
    note = "cases with an output; the box is the middle half"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), note=note, cls="small")
