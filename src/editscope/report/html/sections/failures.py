"""Shares of failure modes: for all cases, by category, and by task and condition."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from editscope.cases import Group
from editscope.report.html import inline_bars as charts
from editscope.report.html.gallery_data import mode_of
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Stack, Stacks, figure
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import Options
from editscope.stats.diagnosis import failure_shares
from editscope.wording import failure, failure_order, plain


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
