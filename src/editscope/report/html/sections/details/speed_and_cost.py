"""Time and price of edits, run by run, and quality against both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editscope.report.figure_data.cost import (
    DOLLARS,
    QualityPoint,
    Speed,
    is_wide,
    quality_by_price,
    quality_by_time,
    speed_of,
    timed,
)
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Mark, Scatter, figure
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.results.speed import dollars, duration, rate
from editscope.wording import metric_name, value

Column = tuple[str, str, Callable[[Speed], str]]

COLUMNS: tuple[Column, ...] = (
    ("Edits", "edits that gave a picture", lambda s: f"{s['edits']:,}"),
    ("Median", "half of the edits took at most this long", lambda s: duration(s["latency_s"]["p50"])),
    ("90 %", "nine of ten edits took at most this long", lambda s: duration(s["latency_s"]["p90"])),
    ("99 %", "99 of 100 edits took at most this long", lambda s: duration(s["latency_s"]["p99"])),
    ("A second", "edits a second while any was being made", lambda s: rate(s["throughput"])),
    ("At once", "edits that were being made at a time, on average", lambda s: f"{s['at_once']:.1f}"),
    ("Per edit", "dollars per picture, failed attempts included", lambda s: dollars(s["cost_usd"]["mean"])),
    ("In all", "dollars for all edits whose cost is known", lambda s: dollars(s["cost_usd"]["total"])),
    ("GPU memory", "the most that was in use", lambda s: f"{s['memory_mb'] / 1024:.1f} GiB"),
    ("Requests", "requests that were sent, failed ones included", lambda s: f"{s['attempts']:,}"),
    ("Failed", "edits that gave no picture", lambda s: f"{s['failed']:,}"),
)


def cost(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Time and money of each run, then quality against both; nothing where all edits were files already."""
    known = [(view, speed) for view in sheet.runs if (speed := speed_of(view))]
    if not known:
        return None
    times = quality_by_time(sheet)
    plots = [
        plot
        for plot in (
            _plot(sheet, quality_by_price(sheet), "Quality and cost", (DOLLARS, 1.0), dollars),
            _plot(sheet, times, "Quality and time", timed(times), duration),
        )
        if plot
    ]
    hint = (
        "Measured while the edits were made. "
        "Upper left is better: more quality for less; the dotted line joins the runs that no other beats in both."
        if plots
        else "Measured while the edits were made."
    )
    return el(
        "section",
        el("header", el("h2", "Speed and cost"), cls="section-head"),
        el("p", hint, cls="hint"),
        _table(known),
        el("div", plots, cls="plots") if plots else None,
        cls="card",
        id=f"cost-{sheet.key}",
    )


def _table(known: Sequence[tuple[RunView, Speed]]) -> Html:
    columns = [column for column in COLUMNS if any(_cell(column, speed) for _, speed in known)]
    heads = [el("th", "Run", scope="col", cls="label")]
    heads += [el("th", name, title=note, scope="col") for name, note, _ in columns]
    rows = [
        el(
            "tr",
            el("th", badge(view), " ", view.name, scope="row", cls="label"),
            [el("td", _cell(column, speed) or "–") for column in columns],
        )
        for view, speed in known
    ]
    table = el("table", el("thead", el("tr", heads)), el("tbody", rows), cls="listing speed")
    return el("div", table, cls="scroller")


def _cell(column: Column, speed: Speed) -> str:
    try:
        text = column[2](speed)
    except KeyError:  # nothing is known of it
        return ""
    return "" if column[0] == "Failed" and text == "0" else text


def _plot(
    sheet: Sheet,
    points: Sequence[QualityPoint],
    caption: str,
    across: tuple[str, float],
    written: Callable[[float], str],
) -> Html | None:
    """``across`` is the title of the axis, and by how much its values are multiplied."""
    if len(points) < 2:
        return None
    metric = sheet.headline
    title, factor = across
    marks = []
    for point in points:
        view, x, cell = point.view, point.x, point.cell
        text = f"{view.name}\n{metric_name(metric)} {value(cell['mean'], metric)}\n{written(x)} per edit"
        wide = cell["hi"] is not None and cell["hi"] > cell["lo"]
        ends = (cell["lo"], cell["hi"]) if wide else (None, None)
        marks.append(
            Mark(round(factor * x, 6), cell["mean"], view.name, text, view.index, cases_query(view=view), *ends)
        )
    log = is_wide([point.x for point in points])
    plot = Scatter(
        marks, title, metric_name(metric), x_log=log, frontier=True, x_text=lambda at: written(at / factor), x_zero=True
    )
    return figure(caption, plot.svg(caption), plot.traces(), plot.layout(340), cls="small")
