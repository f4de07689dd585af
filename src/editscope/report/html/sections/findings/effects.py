"""What followed from the edit: the object itself, its consequences, the gap between them, and every effect by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from editscope.report.figure_data.effects import EffectRows, ladder, overall_cell, recovery_by_effect
from editscope.report.html import inline_bars as charts
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.plots import Dots, Point, figure
from editscope.report.html.section_parts import FEW, badge, run_heat, section_card
from editscope.report.model import Cell, RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.stats.small_groups import is_few, rules_in_words
from editscope.wording import ends, interval, metric_name, metric_note, signed, signed_range, value

SHOWN: Mapping[str, str] = {
    "direct": "gain_direct",
    "consequences": "gain_consequences",
    "gap": "gain_gap",
    "preservation_accuracy": "gain_preservation",
}
"""The figures of the table, and what each is after the best gain."""
HINT = (
    "Recovery is how far an edit went from the input (0) to the answer (100), in linear light, where an effect shows. "
    "Direct is the object that the sentence names, consequences are all other effects, and the gap is direct minus "
    "consequences, averaged over the cases that have both: near 100, the object changed and its consequences did not "
    "follow. Small figures below are after the best gain per channel, which forgives one "
    "tone shift of the whole picture."
)


def effects(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Direct, consequences and gap of every run, then recovery by effect; nothing where no case has effects."""
    if not any(metric in sheet.metrics for metric in ("direct", "consequences")):
        return None
    shown = [metric for metric in SHOWN if metric in sheet.metrics]
    parts: list[Child] = [
        _table(sheet, shown),
        _rows(sheet, recovery_by_effect(sheet), "Recovery (%)"),
        _rows(sheet, ladder(sheet), "Consequences (%)"),
        _few(sheet),
        _ignored(sheet),
    ]
    return section_card(sheet, "effects", "What followed from the edit", HINT, parts)


def _table(sheet: Sheet, shown: Sequence[str]) -> Html:
    heads = [el("th", metric_name(metric), scope="col", title=metric_note(metric)) for metric in shown]
    rows = [
        el(
            "tr",
            el("th", badge(view), view.name, scope="row", cls="label"),
            [_figure(view, metric) for metric in shown],
        )
        for view in sheet.runs
    ]
    head = el("tr", el("th", "Editor", scope="col", cls="label"), heads)
    table = el("table", el("thead", head), el("tbody", rows), cls="listing effects")
    return el("div", table, cls="scroller")


def _figure(view: RunView, metric: str) -> Html:
    cell = overall_cell(view, metric)
    if cell is None:
        return el("td", "–")
    after = overall_cell(view, SHOWN[metric])
    # Cases that are too few for an interval are counted in its place.
    around = signed_range(cell["lo"], cell["hi"]) or f"n = {cell['n']}" if metric == "gap" else interval(cell, metric)
    notes = [] if around.startswith("n = ") else [f"n = {cell['n']:,}"]
    notes += [] if after is None else [f"after gain {_number(after, metric)}"]
    return el(
        "td",
        el("b", _number(cell, metric)),
        " ",
        el("small", around),
        charts.bar(cell, metric),
        el("small", " · ".join(notes)),
        cls=f"run{view.index % 8}",
    )


def _number(cell: Cell, metric: str) -> str:
    """The mean; of a gap with its sign, which says who is ahead."""
    return signed(cell["mean"]) if metric == "gap" else value(cell["mean"], metric)


def _rows(sheet: Sheet, rows: EffectRows | None, axis: str) -> Html | None:
    """Rows of a figure: dots with intervals; of many runs a table."""
    if rows is None:
        return None
    if len(sheet.runs) > FEW:
        by_run = {view.index: cells for view, cells in rows.cells}

        def mean(row: int, view: RunView) -> float | None:
            cell = by_run[view.index][row]
            return None if cell is None else float(cell["mean"])

        return run_heat(sheet, rows.title, rows.labels, mean, lambda row, view: f"#cases?{cases_query(view=view)}")
    series = [
        (
            view.index,
            view.name,
            [_point(view, rows, cell, label) for cell, label in zip(cells, rows.labels, strict=True)],
        )
        for view, cells in rows.cells
    ]
    low, high = ends(rows.metric)
    room = 0.015 * (high - low)
    dots = Dots(rows.labels, series, axis, span=(low - room, high + room))
    return figure(rows.title, dots.svg(rows.title), dots.traces(), dots.layout())


def _point(view: RunView, rows: EffectRows, cell: Cell | None, label: str) -> Point | None:
    if cell is None:
        return None
    tooltip = f"{label}: {value(cell['mean'], rows.metric)} ({interval(cell, rows.metric)})\nn = {cell['n']:,}"
    few = is_few(cell)
    link = cases_query(view=view)
    return Point(cell["mean"], cell.get("lo"), cell.get("hi"), tooltip, link, strong=not few, faint=few)


def _few(sheet: Sheet) -> Html | None:
    """What a hollow mark means, where there is one."""
    drawn = [rows for rows in (recovery_by_effect(sheet), ladder(sheet)) if rows is not None]
    cells = [cell for rows in drawn for _, some in rows.cells for cell in some if cell is not None and is_few(cell)]
    if not cells or len(sheet.runs) > FEW:
        return None
    return el("p", f"Hollow marks have no interval: {rules_in_words(cells).removeprefix('where ')}.", cls="hint")


def _ignored(sheet: Sheet) -> Html | None:
    """How much of the pictures is not scored; the same for all runs on the same cases."""
    cell = overall_cell(sheet.runs[0], "ignored_share")
    if cell is None or not cell["mean"]:
        return None
    share = value(cell["mean"], "ignored_share")
    return el(
        "p",
        f"{share} % of the pixels are not scored: the input does not determine them, or they change too little.",
        cls="hint",
    )
