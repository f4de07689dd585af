"""Parts that many sections are made of: the badge of a run, a titled card, a table of runs in colored cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from editscope.report.html.markup import Child, Html, el
from editscope.report.html.plots import Heat
from editscope.report.model import RunView, Sheet
from editscope.wording import ends, signed, value

FEW = 4
"""As many runs as dots with intervals show side by side; more become a table of colored cells."""


def is_heavy(sheet: Sheet) -> bool:
    """Whether tables of the set have so many cells that a browser should lay them out only when they are near."""
    return len(sheet.runs) > FEW


def badge(view: RunView) -> Html:
    """The run's letter in its color."""
    return el("b", view.letter, cls=f"badge run{view.index % 8}", aria_hidden="true")


def section_card(sheet: Sheet, name: str, title: str, hint: str, parts: Sequence[Child]) -> Html:
    """A section with a title, a hint below it, and its parts."""
    return el(
        "section",
        el("header", el("h2", title), cls="section-head"),
        el("p", hint, cls="hint"),
        list(parts),
        cls="card",
        id=f"{name}-{sheet.key}",
    )


def run_heat(
    sheet: Sheet,
    title: str,
    labels: Sequence[str],
    number: Callable[[int, RunView], float | None],
    link: Callable[[int, RunView], str],
    *,
    diverging: bool = False,
    tooltip: Callable[[int, RunView], str] | None = None,
) -> Html:
    """A table with a row for each label and a column for each run; the stronger the color, the larger the number."""
    rows = [(label, [number(i, view) for view in sheet.runs]) for i, label in enumerate(labels)]
    largest = max((abs(v) for _, values in rows for v in values if v is not None), default=1.0)
    heat = Heat(
        "",
        [[badge(view), el("span", view.name)] for view in sheet.runs],
        rows,
        largest,
        low=0.0 if diverging else ends(sheet.headline)[0],
        diverging=diverging,
        link=lambda i, j: link(i, sheet.runs[j]),
        tooltip=None if tooltip is None else lambda i, j: tooltip(i, sheet.runs[j]),
        text=signed if diverging else partial(value, metric=sheet.headline),
    )
    return heat.table(title)
