"""Exact scores against judged accuracy on the same edits, with their rank correlation."""

from __future__ import annotations

from editscope.report.figure_data.exact_and_judged import EXACT, ExactAndJudged, RankAgreement, exact_and_judged
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Mark, Scatter, figure
from editscope.report.html.section_parts import badge
from editscope.report.model import Model
from editscope.suites import suite_title
from editscope.wording import plain

HINT = (
    "The same files, scored exactly and judged by questions. A point is the mean of one run's edits under one law. A "
    "judge that sees what is there puts them in the order of the exact score; Spearman's rho says how well, edit by "
    "edit, with a 95 % interval from resampling whole problems."
)


def exact_against_judged(model: Model) -> Html | None:
    """One plot for each exact score of each pair of sets; nothing where no edit was both scored and judged."""
    pairs = exact_and_judged(model)
    if not pairs:
        return None
    return el(
        "section",
        el("header", el("h2", "Exact score and judged accuracy"), cls="section-head"),
        el("p", HINT, cls="hint"),
        [_pair(pair) for pair in pairs],
        cls="card",
        id="exact-judged",
    )


def _pair(pair: ExactAndJudged) -> Html:
    return el(
        "div",
        el("p", [el("span", badge(view), view.name, cls="named") for view in pair.exact.runs], cls="map-keys"),
        el("div", [_plot(pair, metric) for metric in EXACT], cls="plots"),
        [el("p", _said(one), cls="hint relation") for one in pair.agreement],
        el("p", pair.note, cls="hint") if pair.note else None,
    )


def _plot(pair: ExactAndJudged, metric: str) -> Html | None:
    marks = [
        Mark(x, y, "", f"{view.name}, {plain(law)}\n{EXACT[metric]} {x:.1f}\njudged {y:.1f}\nn = {n}", view.index)
        for view, law, x, y, n in pair.means(metric)
    ]
    if not marks:
        return None
    judge = f"{suite_title(pair.judged.suite)} accuracy (%)"
    plot = Scatter(marks, f"{EXACT[metric]} (%)", judge, diagonal=True)
    title = f"{EXACT[metric]} and judged accuracy"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(400))


def _said(one: RankAgreement) -> str:
    around = "" if one.lo is None or one.hi is None else f" ({one.lo:.2f} – {one.hi:.2f})"
    return f"{EXACT[one.metric]}: Spearman {one.value:.2f}{around}, {one.edits:,} edits."
