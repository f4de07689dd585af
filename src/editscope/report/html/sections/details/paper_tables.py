"""Tables as the papers lay them out: best in bold, second underlined, every figure a link to its cases."""

from __future__ import annotations

import json

from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import is_heavy
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.report.paper_tables import paper_tables
from editscope.suites.tables import PaperRow, PaperTable, figure, half_width, headings, small_n, table_ranks


def papers(sheet: Sheet, options: ReportOptions) -> Html | None:
    """All tables that the paper of this suite prints, folded but for the first."""
    tables = paper_tables(sheet, options.published)
    if not tables:
        return None
    title = "Tables as the paper prints them" if any(table.source for table in tables) else "Tables for a paper"
    return el(
        "section",
        el("header", el("h2", title), cls="section-head"),
        el("p", "The best run of a row is bold, the second underlined. Click a figure to see its cases.", cls="hint"),
        [_folded(table, opened=number == 0) for number, table in enumerate(tables)],
        cls="papers heavy" if is_heavy(sheet) else "papers",
        id=f"papers-{sheet.key}",
    )


def _folded(table: PaperTable, *, opened: bool) -> Html:
    return el(
        "details",
        el("summary", table.title, el("small", f" {table.source}") if table.source else None),
        el("div", _table(table), cls="scroller"),
        el("p", table.caption, cls="hint"),
        open=opened,
    )


def _table(table: PaperTable) -> Html:
    heads = [
        el(
            "th",
            column.label,
            scope="col",
            title=column.note or None,
            cls="theirs" if column.published else None,
        )
        for column in table.columns
    ]
    places = table_ranks(table)
    rows = [_row(table, number, row, places[number]) for number, row in enumerate(table.rows)]
    head = el("tr", el("th", table.stub, scope="col", cls="label"), heads)
    above = [el("th", text, scope="colgroup", colspan=span) for text, span in headings(table.columns)]
    over = el("tr", el("td", cls="label"), above, cls="above") if above else None
    return el("table", el("thead", over, head), el("tbody", rows), cls="listing paper")


def _row(table: PaperTable, number: int, row: PaperRow, places: tuple[int | None, ...]) -> Html:
    if row.kind == "head":
        head = el("th", row.label, scope="rowgroup", colspan=len(table.columns) + 1, cls="label")
        return el("tr", head, cls="head")
    cells: list[Child] = []
    for column, cell in enumerate(row.cells):
        text: Child = figure(table, cell)
        place = places[column] if column < len(places) else None
        if place == 1:
            text = el("b", text)
        elif place == 2:
            text = el("u", text)
        spread = half_width(table, row, cell)
        n = small_n(cell)
        inside: list[Child] = [text, el("small", f" ± {spread}") if spread else None]
        if n:
            inside = [el("span", text, el("small", f" {n}"), cls="few")]
        tags, run = table.link(number, column)
        published = cell is not None and cell.published
        if cell is not None and run is not None:
            # Where the columns are runs, the row says once what its cases have in common.
            own = None if tags == dict(row.filter) else json.dumps(dict(tags), ensure_ascii=False)
            cells.append(el("td", el("button", inside, type="button", data_filter=own, data_run=run)))
        else:
            cells.append(el("td", inside, cls="theirs" if published else None))
    label = el("th", row.label, scope="row", cls=f"label in{row.depth}", title=row.note or None)
    wanted = json.dumps(dict(row.filter), ensure_ascii=False)
    return el("tr", label, cells, cls=f"{row.kind}{' theirs' if row.published else ''}", data_filter=wanted)
