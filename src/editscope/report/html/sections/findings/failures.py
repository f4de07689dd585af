"""Shares of failure modes: for all cases, by category, and by task and condition."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from editscope.cases import Group
from editscope.report.figure_data.failures import SharesOfCases, shares_of_failures
from editscope.report.html import inline_bars as charts
from editscope.report.html.gallery_data import mode_of
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Stack, Stacks, figure
from editscope.report.html.section_parts import badge
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.stats.diagnosis import Shares
from editscope.wording import failure, failure_order, plain


def failures(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Shares of failure modes by run, for all cases and each row of the coarsest group; then by task and condition."""
    if sheet.judged or not any(r.failure for view in sheet.runs for r in view.records[:50]):
        return None
    modes = failure_order({mode_of(r) for view in sheet.runs for r in sheet.averaged(view)})
    parts: list[tuple[str, Mapping[str, str], SharesOfCases | None]] = [
        ("All cases", {}, next(iter(shares_of_failures(sheet)), None))
    ]
    if sheet.coarse:
        by_key = {"/".join(row.key): row for row in shares_of_failures(sheet, sheet.coarse.by)}
        parts += [
            (plain(key), sheet.tags_of(sheet.coarse, key), by_key.get(key)) for key in sheet.keys(sheet.coarse.name)
        ]
    return el(
        "section",
        el("header", el("h2", "What went wrong"), cls="section-head"),
        el("p", "Share of cases by failure mode. Click a share to see its cases.", cls="hint"),
        el("ul", [_mode_note(mode) for mode in modes], cls="legend"),
        el("div", [_part(sheet, *part, modes) for part in parts], cls="shares"),
        _stacks(sheet, modes),
        cls="card",
        id=f"failures-{sheet.key}",
    )


def _mode_note(mode: str) -> Html:
    wording = failure(mode)
    return el("li", el("i", cls=f"swatch mode-{mode}"), el("b", wording.label), " ", el("span", wording.note))


def _part(
    sheet: Sheet, label: str, tags: Mapping[str, str], record: SharesOfCases | None, modes: Sequence[str]
) -> Html:
    bars = []
    known = {view.index: shares for view, shares in record.runs if shares} if record else {}
    for view in sheet.runs:
        counts = _counts(known.get(view.index), modes)
        total = max(known[view.index].n if view.index in known else 0, 1)
        shares = [(m, failure(m).label, n, 100 * n / total) for m, n in zip(modes, counts, strict=True)]
        wanted = json.dumps(dict(tags), ensure_ascii=False)
        bars.append(
            el("div", badge(view), charts.stack(shares, data_filter=wanted, data_run=view.index), cls="share-row")
        )
    return el("div", el("h3", label), bars, cls="whole" if not tags else None)


def _stacks(sheet: Sheet, modes: Sequence[str]) -> Html | None:
    """Bars by task and by every other group that is no finer, for the run that one chooses."""
    groups = [g for g in sheet.aggregation.groups if g is not sheet.coarse and 1 < len(sheet.keys(g.name)) <= 40]
    records = [(group, shares_of_failures(sheet, group.by)) for group in groups]
    versions = [
        (f"{view.letter} {view.name}, by {plain(group.name).lower()}", _bars(rows, place, group, modes))
        for place, view in enumerate(sheet.runs)
        for group, rows in records
    ]
    versions = [(name, bars) for name, bars in versions if bars]
    if not versions:
        return None
    plot = Stacks(modes, versions)
    return figure("Failure modes in detail", plot.static(), plot.traces(), plot.layout(), choices=plot.choices("Show"))


def _bars(rows: Sequence[SharesOfCases], place: int, group: Group, modes: Sequence[str]) -> list[Stack]:
    bars = []
    for row in rows:
        view, shares = row.runs[place]
        if shares is not None:
            tags = dict(zip(group.by, row.key, strict=True))
            links = [cases_query(tags, view=view, failure=mode) for mode in modes]
            bars.append(Stack(" · ".join(plain(value) for value in row.key), _counts(shares, modes), links))
    return bars


def _counts(shares: Shares | None, modes: Sequence[str]) -> list[int]:
    """How many cases have each mode."""
    return [0 if shares is None else round(shares.shares.get(mode, 0.0) * shares.n) for mode in modes]
