"""How far off edits are: mIoU where a right pixel may be some pixels away, and errors of objects and colors by task."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.report.figure_data.offsets import Offsets, offsets_of
from editscope.report.html.links import cases_link
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge, section_card
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.stats.diagnosis import ErrorRow, Interval, MedianError
from editscope.wording import plain

COLUMNS: Mapping[str, str] = {
    "position_error": "Position, px",
    "angle_error": "Angle, °",
    "size_error": "Size, %",
    "color_error": "Color, ΔE",
}
OPENED = 4
"""As many runs show their errors at once; more are folded."""
HINT = (
    "For diagnosis only; no score changes. A right pixel may be a few pixels from its place in the first table: where "
    "mIoU rises, the edit is right but a little beside. The second says by how much the object that was to change, "
    "or the color of a region, is off: the median of the cases, and the range of the middle half. Cases in which it "
    "cannot be measured (the object is not found, or is cut off by the border) are left out of it."
)


def offsets(sheet: Sheet, options: ReportOptions) -> Html | None:
    """mIoU by distance for all runs, then errors by task for each."""
    known = [(view, measured) for view in sheet.runs if (measured := offsets_of(sheet, view))]
    if not known:
        return None
    several = len(sheet.runs) > 1
    parts: list[Child] = []
    if any(measured.within for _, measured in known):
        parts.append(_distances([(view, measured) for view, measured in known if measured.within]))
    tables: list[Child] = []
    for view, measured in known:
        if measured.rows:
            table = _errors(sheet, view, measured)
            name = el("summary", badge(view), el("strong", view.name))
            tables.append(el("details", name, table, open=len(known) <= OPENED) if several else table)
    parts += [el("div", tables, cls="diagnosis")] if tables else []
    return section_card(sheet, "offsets", "How far off", HINT, parts) if parts else None


def _distances(known: list[tuple[RunView, Offsets]]) -> Html:
    radii = list(dict.fromkeys(radius for _, measured in known for radius in measured.within))
    heads = [el("th", "mIoU" if not radius else f"within {radius} px", scope="col") for radius in radii]
    rows = [
        el(
            "tr",
            el("th", badge(view), view.name, scope="row", cls="label"),
            [_mean(measured.within.get(radius)) for radius in radii],
        )
        for view, measured in known
    ]
    return _table([el("th", "Editor", scope="col", cls="label"), *heads], rows)


def _mean(cell: Interval | None) -> Html:
    if cell is None:
        return el("td", "–")
    around = "" if cell.lo is None else f" {cell.lo:.1f} – {cell.hi:.1f}"
    return el("td", f"{cell.mean:.1f}", el("small", around))


def _errors(sheet: Sheet, view: RunView, measured: Offsets) -> Html:
    names = [name for name in COLUMNS if any(name in row.errors for row in measured.rows)]
    heads = [el("th", COLUMNS[name], scope="col") for name in names]
    rows = [_row(sheet, view, row, names) for row in measured.rows]
    head = plain(sheet.fine.name) if sheet.fine else "Cases"
    return _table([el("th", head, scope="col", cls="label"), *heads, el("th", "Measured", scope="col")], rows)


def _row(sheet: Sheet, view: RunView, row: ErrorRow, names: list[str]) -> Html:
    label: Child = plain(row.key) if row.key else "All cases"
    if sheet.fine and row.key:
        label = el("a", label, href=cases_link(sheet.tags_of(sheet.fine, row.key), view=view))
    most = max(error.n for error in row.errors.values())
    return el(
        "tr",
        el("th", label, scope="row", cls="label"),
        [_error(row.errors.get(name)) for name in names],
        el("td", f"{most:,} of {row.cases:,}"),
    )


def _error(error: MedianError | None) -> Html:
    if error is None:
        return el("td", "–")
    return el("td", number(error.median.mean), el("small", f" {number(error.lower)} – {number(error.upper)}"))


def number(error: float) -> str:
    """An error with as many digits as say something.

    >>> number(0.04), number(7.0), number(123.4)
    ('0.0', '7.0', '123')
    """
    return f"{error:.1f}" if error < 100 else f"{error:,.0f}"


def _table(heads: list[Child], rows: list[Html]) -> Html:
    return el("div", el("table", el("thead", el("tr", heads)), el("tbody", rows), cls="listing"), cls="scroller")
