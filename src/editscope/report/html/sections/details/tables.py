"""Tables of the page: means with interval bars, every figure a link to the cases behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from editscope.report.html import inline_bars as charts
from editscope.report.html.markup import Html, el, json_for_script
from editscope.report.html.section_parts import badge, is_heavy
from editscope.report.model import Cell, Cells, RunView, ScoreTable, Sheet, TableRow
from editscope.report.options import ReportOptions
from editscope.stats.small_groups import is_few, why_no_interval
from editscope.stats.summary import DIAGNOSTIC
from editscope.wording import decimals, ends, metric_name, metric_note, plain, value


def tables(sheet: Sheet, options: ReportOptions) -> Html:
    """All tables. Of one run they show every metric; of several, one metric, which the buttons above choose."""
    alone = len(sheet.runs) == 1
    buttons = [
        el(
            "button",
            metric_name(m),
            type="button",
            data_metric=i,
            aria_pressed="true" if i == 0 else "false",
            title=metric_note(m),
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
        el(
            "p",
            "Mean with 95 % interval; where the cases carry none, mean and n in gray. Click a figure to see the cases "
            "behind it.",
            cls="hint",
        ),
        [_table(sheet, table) for table in sheet.tables()],
        cls="tables one-run" if alone else "tables heavy" if is_heavy(sheet) else "tables",
        id=f"tables-{sheet.key}",
    )


def _table(sheet: Sheet, table: ScoreTable) -> Html:
    scales = {m: _full(table.rows, m) for m in sheet.metrics}
    heads = _metric_heads(sheet) if len(sheet.runs) == 1 else [_run_head(sheet, view) for view in sheet.runs]
    body: list[Html] = []
    if _has_whole(table):
        body.append(_table_row(sheet, _whole(sheet), 0, "whole", scales, parent=""))
    for number, row in enumerate(table.rows):
        body += _nested(sheet, row, 0, scales, f"{table.kinds[0]}-{sheet.runs[0].index}-{number}", "")
    name = " → ".join(_said(kind) for kind in table.kinds)
    return el(
        "div",
        el(
            "table",
            el("caption", name if table.kinds[0] != DIAGNOSTIC else "Diagnostic, outside every average"),
            el("thead", el("tr", el("th", _said(table.kinds[0]), scope="col", cls="label"), heads)),
            el("tbody", body),
            cls=f"scores n{min(len(sheet.runs), 5)}",
        ),
        _other_metrics(sheet, table, scales) if len(sheet.runs) > 1 else None,
        cls="scroller",
    )


def _other_metrics(sheet: Sheet, table: ScoreTable, scales: Mapping[str, float]) -> Html:
    """The figures of all metrics, row by row and run by run: a table shows one, and its script puts in another."""
    rows = [row.cells for row in _shown_rows(sheet, table)]
    data = {
        "low": [ends(m, scales[m])[0] for m in sheet.metrics],
        "full": [ends(m, scales[m])[1] for m in sheet.metrics],
        "decimals": [decimals(m) for m in sheet.metrics],
        "rows": [[[_four(cells.get(m)) for m in sheet.metrics] for cells in row] for row in rows],
    }
    return el("script", json_for_script(data), type="application/json")


def _four(cell: Cell | None) -> list[float | int | str | None]:
    """Mean, both ends and n; then why there is no interval, where there is none."""
    if not cell or cell["mean"] is None:
        return [None, None, None, 0]
    ends = [cell.get(key) for key in ("mean", "lo", "hi")]
    reason = why_no_interval(cell)
    return [*(None if end is None else round(end, 3) for end in ends), cell["n"], *([reason] if reason else [])]


def _shown_rows(sheet: Sheet, table: ScoreTable) -> list[TableRow]:
    """The rows of a table from top to bottom, with that of the whole suite where the table has it."""
    return [*([_whole(sheet)] if _has_whole(table) else []), *_walk(table.rows)]


def _has_whole(table: ScoreTable) -> bool:
    return table.kinds[0] != DIAGNOSTIC and len(table.kinds) > 1


def _whole(sheet: Sheet) -> TableRow:
    return TableRow("All", {}, [view.summary["overall"] for view in sheet.runs])


def _run_head(sheet: Sheet, view: RunView) -> Html:
    # Equal columns, however long a name is: bars of one row are on one scale and must have one length.
    width = f"width:{78 / len(sheet.runs):.2f}%"
    return el("th", badge(view), el("span", view.name), scope="col", cls=f"run{view.index % 8}", style=width)


def _metric_heads(sheet: Sheet) -> list[Html]:
    return [el("th", metric_name(m), scope="col", title=metric_note(m)) for m in sheet.metrics]


def _full(rows: Sequence[TableRow], metric: str) -> float:
    """What the end of a bar means: 100 %; for a ratio without a bound the largest mean of the table, and 1 at least."""
    if not metric.endswith("_ratio"):
        return 100.0
    means = [cells[metric]["mean"] or 0.0 for row in _walk(rows) for cells in row.cells if metric in cells]
    return max([1.0, *means])


def _walk(rows: Sequence[TableRow]) -> list[TableRow]:
    return [inner for row in rows for inner in (row, *_walk(row.children))]


def _nested(sheet: Sheet, row: TableRow, depth: int, scales: Mapping[str, float], key: str, parent: str) -> list[Html]:
    rows = [_table_row(sheet, row, depth, key if row.children else "", scales, parent)]
    for number, child in enumerate(row.children):
        rows += _nested(sheet, child, depth + 1, scales, f"{key}-{number}", key)
    return rows


def _table_row(sheet: Sheet, row: TableRow, depth: int, key: str, scales: Mapping[str, float], parent: str) -> Html:
    wanted = json.dumps(dict(row.filter), ensure_ascii=False)
    fold: Html | None = None
    if row.children:
        fold = el(
            "button",
            type="button",
            cls="fold",
            data_key=key,
            aria_expanded="true" if depth == 0 else "false",
            aria_label=f"Rows inside {_said(row.label)}",
        )
    label = el("button", _said(row.label), type="button", cls="name", title="Show these cases")
    shown = sheet.metrics if len(sheet.runs) == 1 else sheet.metrics[:1]
    cells = [
        el("td", _figure(by_metric, metric, view, scales), cls=f"run{view.index % 8}")
        for view, by_metric in zip(sheet.runs, row.cells, strict=True)
        for metric in shown
    ]
    return el(
        "tr",
        el("th", el("span", fold, label), scope="row", cls="label"),
        cells,
        cls=f"depth{depth}{' whole' if key == 'whole' else ''}",
        data_parent=parent or None,
        data_filter=wanted,
        hidden=depth > 1,
    )


def _said(name: str) -> str:
    """A kind of rows or a row, of one tag or several.

    >>> _said("level/law"), _said("explicit/light_propagation")
    ('Level · Law', 'Explicit · Light propagation')
    """
    return " · ".join(plain(part) for part in name.split("/"))


def _figure(cells: Cells, metric: str, view: RunView, scales: Mapping[str, float]) -> Html:
    cell = cells.get(metric) or {"mean": None, "n": 0}
    few = is_few(cell)
    return el(
        "button",
        el("span", value(cell["mean"], metric), cls="number"),
        charts.bar(cell, metric, scales[metric]),
        el("small", f"n = {cell['n']:,}" if few else "", cls="few-n"),
        type="button",
        cls="cell few" if few else "cell",
        data_run=view.index,
    )
