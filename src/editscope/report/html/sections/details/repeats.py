"""Runs with repeats: the spread over the repeats of a case beside the spread over cases, and the best of k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Line, LinePlot, figure
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.wording import interval, metric_name, value

Found = Mapping[str, Any]


def repeats(sheet: Sheet, options: ReportOptions) -> Html | None:
    """The two spreads of each run that edited its cases more than once, and what several tries are worth."""
    known = [
        (view, summary) for view in sheet.runs if (summary := view.summary.get("repeats")) and summary.get("best_of")
    ]
    if not known:
        return None
    metric = sheet.headline
    return el(
        "section",
        el("header", el("h2", "Repeats"), cls="section-head"),
        el(
            "p",
            "Each case was edited several times, each time with a seed of its own, and counts in every table by the "
            "mean of its repeats. Over repeats: the standard deviation of one case from try to try. Over cases: "
            "that of what cases differ by once the tries are averaged away. Intervals resample cases with all their "
            "repeats.",
            cls="hint",
        ),
        _table(known, metric),
        el("div", [plot for plot in (_tries(known, metric), _right(known)) if plot], cls="plots"),
        cls="card",
        id=f"repeats-{sheet.key}",
    )


def _table(known: Sequence[tuple[RunView, Found]], metric: str) -> Html:
    heads = [
        ("Repeats", "edits of each case"),
        ("Over repeats", f"standard deviation of {metric_name(metric)} of one case"),
        ("Over cases", f"standard deviation of {metric_name(metric)} between cases"),
        ("Share of repeats", "of the variance of a single edit, 1 − intraclass correlation"),
        ("Mean of each repeat", "the overall mean, had only this one been made"),
    ]
    head = [el("th", "Run", scope="col", cls="label")]
    head += [el("th", name, title=note, scope="col") for name, note in heads]
    rows = []
    for view, summary in known:
        spread: Mapping[str, Any] = summary["spread"].get(metric) or {}
        cells = [
            el("td", str(summary["k"])),
            _cell(spread.get("repeats"), "sd", metric),
            _cell(spread.get("cases"), "sd", metric),
            _cell(spread.get("within"), "share", "", 100.0, " %"),
            el("td", " · ".join(value(mean, metric) for mean in summary["means"])),
        ]
        rows.append(el("tr", el("th", badge(view), " ", view.name, scope="row", cls="label"), cells))
    table = el("table", el("thead", el("tr", head)), el("tbody", rows), cls="listing")
    return el("div", table, cls="scroller")


def _cell(numbers: Mapping[str, Any] | None, name: str, metric: str, scale: float = 1.0, unit: str = "") -> Html:
    if not numbers or numbers[name] is None:
        return el("td", "–")
    ends = {end: None if numbers[end] is None else scale * numbers[end] for end in ("lo", "hi")}
    return el("td", el("b", f"{value(scale * numbers[name], metric)}{unit}"), " ", el("small", interval(ends, metric)))


def _tries(known: Sequence[tuple[RunView, Found]], metric: str) -> Html | None:
    """The mean when the best, or the worst, of k tries counts."""
    lines = [
        replace(_line(view, summary[way], f"{view.name}, {word} of k", metric), second=way == "worst_of")
        for view, summary in known
        for way, word in (("best_of", "best"), ("worst_of", "worst"))
    ]
    plot = LinePlot(_ticks(known), lines, "Tries k", metric_name(metric), marks=True)
    title = "Best and worst of k tries"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(270), cls="small")


def _right(known: Sequence[tuple[RunView, Found]]) -> Html | None:
    """The share of cases that have a right edit among k."""
    first = known[0][1]["pass"]
    lines = [_line(view, summary["pass"]["at"], view.name, "") for view, summary in known]
    if not any(number for line in lines for number in line.values):
        return None
    plot = LinePlot(_ticks(known), lines, "Tries k", "Cases, %", top=100.0, marks=True)
    right = f"{metric_name(first['metric'])} of at least {value(first['from'], first['metric'])}"
    title = "Cases with a right edit among k (pass@k)"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(270), note=f"right: {right}", cls="small")


def _ticks(known: Sequence[tuple[RunView, Found]]) -> list[str]:
    return [str(k) for k in range(1, max(int(summary["k"]) for _, summary in known) + 1)]


def _line(view: RunView, cells: Sequence[Mapping[str, Any]], name: str, metric: str) -> Line:
    tooltips = [f"{value(cell['mean'], metric)} ({interval(dict(cell), metric)}) at k = {cell['k']}" for cell in cells]
    sides = [[cell[end] for cell in cells] for end in ("mean", "lo", "hi")]
    return Line(view.index, name, sides[0], sides[1], sides[2], tooltip=tooltips)
