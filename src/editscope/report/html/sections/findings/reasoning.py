"""Reasoned right or wrong against drawn right or wrong, for runs that judge the traces of editors."""

from __future__ import annotations

from editscope.report.html.case_cards import card, case_row
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge, section_card
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.results.diagnosis.reasoning import TracesAndPictures, judges_traces, traces_and_pictures
from editscope.stats.diagnosis.averages import Interval
from editscope.stats.diagnosis.reasoning import ReasonedAndDrawn
from editscope.wording import count, metric_name

CASES = 6
HINT = (
    "Each edit that has a trace, twice: did the editor reason right, by its trace, and is its picture right? The judge "
    "of traces did not see the picture. Shares have 95 % intervals (Wilson)."
)


def reasoning(sheet: Sheet, options: ReportOptions) -> Html | None:
    """A table of four counts for each run, and cases that were reasoned right and drawn wrong."""
    parts: list[Child] = []
    for view in sheet.runs:
        if judges_traces(view.run):
            parts += _run(view, several=len(sheet.runs) > 1)
    return section_card(sheet, "reasoning", "Reasoned and drawn", HINT, parts) if parts else None


def _run(view: RunView, *, several: bool) -> list[Child]:
    name: list[Child] = [el("h3", badge(view), view.name)] if several else []
    known = view.once("traces", lambda: traces_and_pictures(view.run))
    if known is None:
        return [
            *name,
            el("p", "The run whose edits these are is no longer where it was, so their pictures are unknown."),
        ]
    counts = ReasonedAndDrawn.of((edit.reasoned, edit.drawn) for edit in known.edits)
    if not counts.n:
        return [*name, el("p", "No edit has both a verdict on its trace and a score of its picture.")]
    return [*name, el("p", _sentence(counts, known)), _table(counts), _examples(view, known)]


def _sentence(counts: ReasonedAndDrawn, known: TracesAndPictures) -> str:
    """What the counts say, and what counts as drawn right.

    >>> known = TracesAndPictures((), "miou", 0.9)
    >>> _sentence(ReasonedAndDrawn(1, 0, 0, 0), known).split(". ")[0]
    'Of 1 edit, 100 % (21 – 100) was reasoned right'
    """
    reasoned, then, otherwise = counts.reasoned, counts.drawn_if_reasoned, counts.drawn_if_not
    was = "was" if counts.n == 1 else "were"
    text = f"Of {count(counts.n, 'edit')}, {_share(reasoned)} {was} reasoned right. "
    if then is not None:
        text += f"Of these, {_share(then)} were drawn right"
        text += f", of the others {_share(otherwise)}. " if otherwise is not None else ". "
    return f"{text}A picture is right from {metric_name(known.by)} {100 * known.right:g} on."


def _share(share: Interval | None) -> str:
    if share is None:
        return "–"
    return f"{share.mean:.0f} % ({share.lo:.0f} – {share.hi:.0f})"


def _table(counts: ReasonedAndDrawn) -> Html:
    rows = (
        ("Reasoned right", counts.both, counts.only_reasoned),
        ("Reasoned wrong", counts.only_drawn, counts.neither),
    )
    heads = [el("th", text, scope="col") for text in ("Drawn right", "Drawn wrong")]
    body = [
        el("tr", el("th", label, scope="row", cls="label"), [_cell(n, counts.n) for n in cells])
        for label, *cells in rows
    ]
    table = el(
        "table",
        el("thead", el("tr", el("th", "", scope="col", cls="label"), heads)),
        el("tbody", body),
        cls="listing crossed",
    )
    return el("div", table, cls="scroller")


def _cell(n: int, total: int) -> Html:
    return el("td", el("b", f"{n:,}"), el("small", f" {100 * n / total:.0f}\u00a0%"))


def _examples(view: RunView, known: TracesAndPictures) -> Html | None:
    """Edits that were reasoned right and drawn wrong: the model knew, and could not draw it."""
    wrong = [(edit.case_id, edit.variant) for edit in known.edits if edit.reasoned and not edit.drawn]
    cards = [card_html for edit in wrong[:CASES] if (card_html := card(edit, [(view, "edit")]))]
    return case_row("Reasoned right, drawn wrong", cards)
