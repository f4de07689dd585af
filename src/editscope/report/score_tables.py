"""The tables of the page: means with interval bars, every figure a way to the cases behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from editscope.report import charts
from editscope.report.markup import Html, el
from editscope.report.model import Cells, Row, RunView, Sheet, Table
from editscope.report.overview import badge
from editscope.report.words import METRIC_NOTES, metric_name, plain, value
from editscope.stats.summary import DIAGNOSTIC


def tables(sheet: Sheet) -> Html:
    """All tables. Of one run they show every metric; of several, one metric, which the buttons above choose."""
    alone = len(sheet.runs) == 1
    buttons = [
        el(
            "button",
            metric_name(m),
            type="button",
            data_metric=i,
            aria_pressed="true" if i == 0 else "false",
            title=METRIC_NOTES.get(m),
        )
        for i, m in enumerate(sheet.metrics)
    ]
    return el(
        "section",
        el(
            "header",
            el("h2", "Tables"),
            None if alone else el("div", buttons, cls="segmented", role="group", aria_label="Metric"),
            cls="section-head",
        ),
        el("p", "Mean with 95 % interval. Click a figure to see the cases behind it.", cls="hint"),
        [_table(sheet, table) for table in sheet.tables()],
        cls="tables one-run" if alone else "tables",
        id=f"tables-{sheet.runs[0].index}",
        data_shown=0,
    )


def _table(sheet: Sheet, table: Table) -> Html:
    scales = {m: _full(table.rows, m) for m in sheet.metrics}
    heads = _metric_heads(sheet) if len(sheet.runs) == 1 else [_run_head(view) for view in sheet.runs]
    body: list[Html] = []
    if table.kinds[0] != DIAGNOSTIC and len(table.kinds) > 1:
        whole = Row("All", {}, [view.summary["overall"] for view in sheet.runs])
        body.append(_table_row(sheet, whole, 0, "whole", scales, parent=""))
    for number, row in enumerate(table.rows):
        body += _nested(sheet, row, 0, scales, f"{table.kinds[0]}-{sheet.runs[0].index}-{number}", "")
    name = " → ".join(plain(kind) for kind in table.kinds)
    return el(
        "div",
        el(
            "table",
            el("caption", name if table.kinds[0] != DIAGNOSTIC else "Diagnostic, outside every average"),
            el("thead", el("tr", el("th", plain(table.kinds[0]), scope="col", cls="label"), heads)),
            el("tbody", body),
            cls=f"scores n{min(len(sheet.runs), 5)}",
        ),
        cls="scroller",
    )


def _run_head(view: RunView) -> Html:
    return el("th", badge(view), el("span", view.name), scope="col", cls=f"run{view.index % 8}")


def _metric_heads(sheet: Sheet) -> list[Html]:
    return [el("th", metric_name(m), scope="col", title=METRIC_NOTES.get(m)) for m in sheet.metrics]


def _full(rows: Sequence[Row], metric: str) -> float:
    """What the end of a bar means: 100 %, or the largest mean of the table for a ratio without a bound."""
    if not metric.endswith("_ratio"):
        return 100.0
    means = [cells[metric]["mean"] or 0.0 for row in _walk(rows) for cells in row.cells if metric in cells]
    return max(means, default=1.0) or 1.0


def _walk(rows: Sequence[Row]) -> list[Row]:
    return [found for row in rows for found in (row, *_walk(row.children))]


def _nested(sheet: Sheet, row: Row, depth: int, scales: Mapping[str, float], key: str, parent: str) -> list[Html]:
    made = [_table_row(sheet, row, depth, key if row.children else "", scales, parent)]
    for number, child in enumerate(row.children):
        made += _nested(sheet, child, depth + 1, scales, f"{key}-{number}", key)
    return made


def _table_row(sheet: Sheet, row: Row, depth: int, key: str, scales: Mapping[str, float], parent: str) -> Html:
    wanted = json.dumps(dict(row.filter), ensure_ascii=False)
    fold: Html | None = None
    if row.children:
        fold = el(
            "button",
            type="button",
            cls="fold",
            data_key=key,
            aria_expanded="true" if depth == 0 else "false",
            aria_label=f"Rows inside {plain(row.label)}",
        )
    label = el("button", plain(row.label), type="button", cls="name", data_filter=wanted, title="Show these cases")
    cells = [
        el("td", figures, cls=f"run{view.index % 8}")
        for view, found in zip(sheet.runs, row.cells, strict=True)
        for figures in _columns(
            sheet, [_figure(found, m, i, wanted, view, scales) for i, m in enumerate(sheet.metrics)]
        )
    ]
    return el(
        "tr",
        el("th", el("span", fold, label), scope="row", cls="label"),
        cells,
        cls=f"depth{depth}{' whole' if key == 'whole' else ''}",
        data_parent=parent or None,
        hidden=depth > 1,
    )


def _columns(sheet: Sheet, figures: list[Html]) -> list[list[Html]]:
    """Metrics beside one another for one run, on top of one another (one shows) for several."""
    return [[figure] for figure in figures] if len(sheet.runs) == 1 else [figures]


def _figure(cells: Cells, metric: str, place: int, wanted: str, view: RunView, scales: Mapping[str, float]) -> Html:
    cell = cells.get(metric) or {"mean": None, "n": 0}
    return el(
        "button",
        el("span", value(cell["mean"], metric), cls="number"),
        charts.bar(cell, metric, scales[metric]),
        type="button",
        cls=f"cell m{place}",
        data_filter=wanted,
        data_run=view.index,
    )
