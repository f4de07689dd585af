"""Checks of judged edits that need no judge: how many edits fail each, and what it measured on average."""

from __future__ import annotations

from collections.abc import Sequence

from editscope.report.html.markup import Html, el
from editscope.report.html.section_parts import badge, section_card
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.scoring.rubrics import PixelCheck
from editscope.suites.protocol import checks_from

HINT = (
    "Found in the pixels, without a judge; no score changes. They say where to look first: an edit may fail a check "
    "and still be right, and the other way round. Open a case to see its own numbers."
)


def checks(sheet: Sheet, options: ReportOptions) -> Html | None:
    """One row per check: how many edits of each run fail it."""
    if not sheet.judged:
        return None
    by_run = [(view, known) for view in sheet.runs if (known := checks_from(view.run.info["judging"]))]
    listed = list(dict.fromkeys(check for _, known in by_run for check in known))
    rows = [_row(check, [view for view, _ in by_run]) for check in listed]
    if not any(values_of(check, view) for check in listed for view, _ in by_run):
        return None
    heads = [el("th", badge(view), view.name, scope="col") for view, _ in by_run]
    table = el(
        "table",
        el("thead", el("tr", el("th", "Edits with …", scope="col", cls="label"), heads)),
        el("tbody", rows),
        cls="listing",
    )
    return section_card(sheet, "checks", "Checks without a judge", HINT, [el("div", table, cls="scroller")])


def values_of(check: PixelCheck, view: RunView) -> list[float]:
    """What a check measured in all edits of a run."""
    return [
        float(value)
        for record in view.records
        for name, value in record.evidence.items()
        if name.partition("@")[0] == check.name and value is not None
    ]


def _row(check: PixelCheck, views: Sequence[RunView]) -> Html:
    cells = []
    for view in views:
        values = values_of(check, view)
        if not values:
            cells.append(el("td", "–"))
            continue
        failed, mean = sum(map(check.fails, values)), sum(values) / len(values)
        around = f" {failed:,} of {len(values):,}; mean {mean:.1f}"
        cells.append(el("td", f"{100 * failed / len(values):.0f}\u00a0%", el("small", around)))
    return el("tr", el("th", check.fault, el("small", f" ({check.label.lower()})"), scope="row", cls="label"), cells)
