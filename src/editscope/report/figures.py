"""The figures of the page: shares of failure modes, and curves over the colour tolerance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from editscope.report import charts
from editscope.report.curves import CURVES, TITLES, mean_curves
from editscope.report.markup import Html, el
from editscope.report.model import RunView, Sheet
from editscope.report.overview import badge
from editscope.report.payload import mode_of
from editscope.report.words import failure, failure_order, plain


def failures(sheet: Sheet) -> Html:
    """Shares of failure modes by run, for all cases and for each row of the coarsest group."""
    group = sheet.aggregation.groups[0] if sheet.aggregation.groups else None
    modes = failure_order({mode_of(r) for view in sheet.runs for r in sheet.averaged(view)})
    parts: dict[str, Mapping[str, str]] = {"All": {}}
    if group:
        for view in sheet.runs:
            for by, key in view.summary["index"]:
                if by == group.name:
                    parts.setdefault(key, dict(zip(group.by, key.split("/"), strict=False)))
    return el(
        "section",
        el("header", el("h2", "What went wrong"), cls="section-head"),
        el("p", "Share of cases by failure mode. Click a share to see its cases.", cls="hint"),
        el("ul", [_mode_note(mode) for mode in modes], cls="legend"),
        el("div", [_part(sheet, label, tags, modes) for label, tags in parts.items()], cls="shares"),
        cls="card",
        id=f"failures-{sheet.runs[0].index}",
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
    return el("div", el("h3", plain(label)), bars, cls="whole" if not tags else None)


def tolerance(sheet: Sheet) -> Html | None:
    """Three panels for the whole suite, then IoU for each row of the coarsest group."""
    found = [(view, mean_curves(view.records, sheet.aggregation)) for view in sheet.runs]
    found = [(view, curves) for view, curves in found if ("", "") in curves]
    if not found:
        return None
    panels = [_panel(TITLES[i], found, ("", ""), i) for i in range(len(CURVES))]
    group = sheet.aggregation.groups[0] if sheet.aggregation.groups else None
    keys = dict.fromkeys(at for _, curves in found for at in curves if group and at[0] == group.name)
    return el(
        "section",
        el("header", el("h2", "How tolerance changes the score"), cls="section-head"),
        el(
            "p",
            "Percent of pixels that count as right when colours may be off by ΔE 0 … 10. A curve that climbs is a "
            "colour that is only near; a flat one is a shape in the wrong place.",
            cls="hint",
        ),
        el("div", panels, _who(found), cls="panels"),
        el("div", [_panel(f"IoU · {plain(key[1])}", found, key, 0) for key in keys], cls="panels")
        if len(keys) > 1
        else None,
        cls="card",
        id=f"curves-{sheet.runs[0].index}",
    )


def _who(found: Sequence[tuple[RunView, Any]]) -> Html:
    return el(
        "ul", [el("li", charts.sample(view.index), badge(view), view.name) for view, _ in found], cls="who-is-who"
    )


def _panel(title: str, found: Sequence[tuple[RunView, Mapping[Any, Any]]], key: tuple[str, str], which: int) -> Html:
    lines = [(view.index, view.name, curves[key][which]) for view, curves in found if key in curves]
    return charts.curves(title, lines, label="Tolerance curve")
