"""What went wrong and how tolerance changes it: shares of failure modes, and curves over the color tolerance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from editscope.cases import Group
from editscope.report.curves import TITLES
from editscope.report.html import inline_bars as charts
from editscope.report.html.gallery_data import mode_of
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Choices, Json, Line, Lines, Stack, Stacks, figure
from editscope.report.html.sections.overview import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import Options
from editscope.stats.diagnosis import MeanCurves, failure_shares, mean_curves
from editscope.wording import failure, failure_order, plain

TOLERANCES = tuple(str(t) for t in range(11))


def failures(sheet: Sheet, options: Options) -> Html | None:
    """Shares of failure modes by run, for all cases and each row of the coarsest group; then by task and condition."""
    if sheet.judged or not any(r.failure for view in sheet.runs for r in view.records[:50]):
        return None
    modes = failure_order({mode_of(r) for view in sheet.runs for r in sheet.averaged(view)})
    parts: dict[str, Mapping[str, str]] = {"All": {}}
    if sheet.coarse:
        parts |= {key: sheet.tags_of(sheet.coarse, key) for key in sheet.keys(sheet.coarse.name)}
    return el(
        "section",
        el("header", el("h2", "What went wrong"), cls="section-head"),
        el("p", "Share of cases by failure mode. Click a share to see its cases.", cls="hint"),
        el("ul", [_mode_note(mode) for mode in modes], cls="legend"),
        el("div", [_part(sheet, label, tags, modes) for label, tags in parts.items()], cls="shares"),
        _stacks(sheet, modes),
        cls="card",
        id=f"failures-{sheet.key}",
    )


def _mode_note(mode: str) -> Html:
    said = failure(mode)
    return el("li", el("i", cls=f"swatch mode-{mode}"), el("b", said.label), " ", el("span", said.note))


def _part(sheet: Sheet, label: str, tags: Mapping[str, str], modes: Sequence[str]) -> Html:
    bars = []
    for view in sheet.runs:
        records = [r for r in sheet.averaged(view) if all(r.tags.get(t) == v for t, v in tags.items())]
        counts = Counter(mode_of(r) for r in records)
        shares = [(m, failure(m).label, counts[m], 100 * counts[m] / max(len(records), 1)) for m in modes]
        wanted = json.dumps(dict(tags), ensure_ascii=False)
        bars.append(
            el("div", badge(view), charts.stack(shares, data_filter=wanted, data_run=view.index), cls="share-row")
        )
    return el("div", el("h3", plain(label) if tags else "All cases"), bars, cls="whole" if not tags else None)


def _stacks(sheet: Sheet, modes: Sequence[str]) -> Html | None:
    """Bars by task and by every other group that is no finer, for the run that one chooses."""
    groups = [g for g in sheet.aggregation.groups if g is not sheet.coarse and 1 < len(sheet.keys(g.name)) <= 40]
    versions = [
        (f"{view.letter} {view.name}, by {plain(group.name).lower()}", _bars(sheet, view, group, modes))
        for view in sheet.runs
        for group in groups
    ]
    versions = [(name, bars) for name, bars in versions if bars]
    if not versions:
        return None
    plot = Stacks(modes, versions)
    return figure("Failure modes in detail", plot.static(), plot.traces(), plot.layout(), choices=plot.choices("Show"))


def _bars(sheet: Sheet, view: RunView, group: Group, modes: Sequence[str]) -> list[Stack]:
    aggregation = sheet.aggregation
    bars = []
    for found in failure_shares(view.rows, group.by, aggregation.exclude, orders=aggregation.orders):
        tags = dict(zip(group.by, found.key, strict=True))
        counts = [round(found.shares.get(mode, 0.0) * found.n) for mode in modes]
        links = [cases_query(tags, view=view, failure=mode) for mode in modes]
        bars.append(Stack(" · ".join(plain(value) for value in found.key), counts, links))
    return bars


def tolerance(sheet: Sheet, options: Options) -> Html | None:
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
        el("div", [_curve_plot(i, versions) for i in range(len(TITLES))], cls="plots three", data_group="curves"),
        cls="card",
        id=f"curves-{sheet.key}",
    )


Version = tuple[str, Sequence[tuple[RunView, MeanCurves, str]]]


def _curve_versions(sheet: Sheet) -> Iterator[Version]:
    """For the whole suite and each row of each table: its name, and every run's curves with a link to its cases."""
    whole = [(view, found[0]) for view in sheet.runs if (found := mean_curves(view.rows, sheet.aggregation))]
    if not whole:
        return
    yield "All cases", [(view, curves, cases_query(view=view)) for view, curves in whole]
    for group in sheet.aggregation.groups:
        if len(sheet.keys(group.name)) > 40:
            continue
        rows: dict[tuple[str, ...], list[tuple[RunView, MeanCurves, str]]] = {}
        for view in sheet.runs:
            for curves in mean_curves(view.rows, sheet.aggregation, group.by):
                link = cases_query(dict(zip(group.by, curves.key, strict=True)), view=view)
                rows.setdefault(curves.key, []).append((view, curves, link))
        for key, members in rows.items():
            yield f"{plain(group.name)}: {' · '.join(plain(value) for value in key)}", members


def _curve_plot(which: int, versions: Sequence[Version]) -> Html:
    plots = [(name, _lines(which, found)) for name, found in versions]
    first = plots[0][1]
    order = [line.index for line in first.lines]
    patches = [(name, _patches(plot, order)) for name, plot in plots]
    arrangement = first.layout(270) | {"showlegend": False}
    choices = Choices("Cases", patches) if len(plots) > 1 else None
    return figure(TITLES[which], first.svg(TITLES[which]), first.traces(), arrangement, choices=choices, cls="small")


def _lines(which: int, found: Sequence[tuple[RunView, MeanCurves, str]]) -> Lines:
    lines = [
        Line(
            view.index,
            view.name,
            (curves.iou, curves.edit_accuracy, curves.preservation_accuracy)[which],
            link=link,
        )
        for view, curves, link in found
    ]
    return Lines(TOLERANCES, lines, "ΔE", "%", top=100.0)


def _patches(plot: Lines, order: Sequence[int]) -> list[Json]:
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
