"""People and judge: what people would score each run, and which runs their labels can rank."""

from __future__ import annotations

from itertools import combinations

from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge, section_card
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.results.calibration.calibrated_runs import Calibration, LabeledRun
from editscope.results.calibration.calibration_text import agreement_in_words, what_would_decide
from editscope.wording import count, listed, metric_name, signed, value

HINT = (
    "The judge scored every edit, people a random part of them. Where both scored, the judge's error shows; the "
    "estimate corrects the judge's mean by it, and its interval contains what is not known of the error "
    "(prediction-powered inference, power-tuned). Runs whose difference lies within it are not ranked."
)


def people(sheet: Sheet, options: ReportOptions) -> Html | None:
    """What labels make of the runs of a set, and of every pair of them; None without labels."""
    found = sheet.calibration
    if found is None:
        return None
    parts: list[Child] = [_means(sheet, found), _notes(sheet, found)]
    if len(sheet.runs) > 1:
        parts.append(_pairs(sheet, found))
    return section_card(sheet, "people", "People and judge", f"{metric_name(sheet.headline)}. {HINT}", parts)


def _table(heads: list[str], rows: list[Html]) -> Html:
    head = el("thead", el("tr", [el("th", text, scope="col") for text in heads]))
    return el("div", el("table", head, el("tbody", rows), cls="listing versus"), cls="scroller")


def _means(sheet: Sheet, found: Calibration) -> Html:
    heads = ["", "", "People", "95 % interval", "Judge alone", "Judge counts", "Labeled cases"]
    return _table(heads, [_mean(sheet, view, run) for view, run in zip(sheet.runs, found.runs, strict=True)])


def _mean(sheet: Sheet, view: RunView, run: LabeledRun) -> Html:
    label = el("th", badge(view), scope="row", cls="label pairing")
    estimate, metric = run.estimate, sheet.headline
    if estimate is None:
        return el("tr", label, el("td", f"{view.name}: {run.refused}", cls="said", colspan=6), cls="few")
    return el(
        "tr",
        label,
        el("td", view.name, cls="said"),
        el("td", el("b", value(estimate.mean, metric))),
        el("td", f"{value(estimate.lo, metric)} … {value(estimate.hi, metric)}"),
        el("td", value(estimate.judged, metric)),
        el("td", f"{100 * estimate.tuning:.0f} %", title="λ: how much of the judge's scores the estimate uses"),
        el("td", f"{estimate.labels:,}", el("small", f" of {estimate.cases:,}")),
    )


def _notes(sheet: Sheet, found: Calibration) -> Html | None:
    """Who labeled, how far they agree, and labels that fit no edit."""
    sentences = []
    for view, run in zip(sheet.runs, found.runs, strict=True):
        parts = [count(run.raters, "rater")] if run.raters else []
        if agreed := agreement_in_words(run):
            parts.append(agreed)
        if run.unmatched:
            parts.append(f"{count(run.unmatched, 'labeled edit')} of the file not in this run")
        if parts:
            sentences.append(f"{view.name}: {listed(parts)}.")
    return el("p", " ".join(sentences), cls="sub") if sentences else None


def _pairs(sheet: Sheet, found: Calibration) -> Html:
    heads = ["", "", "Difference to people", "95 % interval", "Judge alone"]
    return _table(heads, [_pair(sheet, found, i, j) for i, j in combinations(range(len(sheet.runs)), 2)])


def _pair(sheet: Sheet, found: Calibration, first: int, second: int) -> Html:
    a, b = sheet.runs[first], sheet.runs[second]
    label = el("th", badge(b), " − ", badge(a), scope="row", cls="label pairing")
    apart, metric = found.difference(first, second), sheet.headline
    if isinstance(apart, str):
        return el("tr", label, el("td", f"cannot be ranked: {apart}", cls="said", colspan=4), cls="few")
    if apart.decided:
        words = f"People would score {b.name} {'higher' if apart.difference > 0 else 'lower'} than {a.name}"
    else:
        words = f"{b.name} and {a.name} cannot be ranked. {what_would_decide(apart)}"
    return el(
        "tr",
        label,
        el("td", words, cls="said"),
        el("td", el("b", signed(apart.difference, metric)) if apart.decided else signed(apart.difference, metric)),
        el("td", f"{signed(apart.lo, metric)} … {signed(apart.hi, metric)}"),
        el("td", signed(apart.judged, metric)),
    )
