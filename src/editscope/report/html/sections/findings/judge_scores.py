"""Scores that judges gave: how each metric is spread, and where judges or samples contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editscope.report.figure_data.score_histograms import score_histograms
from editscope.report.html.links import cases_link
from editscope.report.html.markup import Html, el
from editscope.report.html.section_parts import badge
from editscope.report.judged_runs import scales_of
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.runfolder.repeats import case_name
from editscope.wording import count, plain

MOST_DISPUTED = 12


@dataclass(frozen=True)
class Dispute:
    """A call whose verdicts differ: the values by who gave them, and how far they are apart on their scale, 0 to 1."""

    case: str
    title: str
    values: tuple[str, ...]
    apart: float


def judge_scores(sheet: Sheet, options: ReportOptions) -> Html | None:
    """The spread of scores by metric and run, and the calls on which verdicts differ most."""
    if not sheet.judged:
        return None
    parts = [part for part in (_spread(sheet), *(_disputed(view) for view in sheet.runs)) if part]
    if not parts:
        return None
    return el(
        "section",
        el("header", el("h2", "What the judges say"), cls="section-head"),
        el("p", "How often each score was given; hatched: no verdict. Missing edits are not counted.", cls="hint"),
        parts,
        cls="card opinions",
        id=f"opinions-{sheet.key}",
    )


def _spread(sheet: Sheet) -> Html | None:
    """One row for each metric, one small histogram for each run."""
    body = []
    for one in score_histograms(sheet):
        cells = [el("td", _histogram(counts, one.steps, missing)) for _, counts, missing in one.runs]
        meaning = el("span", [el("small", text) for text in ends_in_words(sheet.runs[0], one.metric)], cls="marks")
        body.append(el("tr", el("th", one.label, meaning, scope="row", cls="label"), cells))
    if not body:
        return None
    heads = [el("th", badge(view), view.name, scope="col") for view in sheet.runs]
    head = el("thead", el("tr", el("th", "Metric", scope="col", cls="label"), heads))
    return el("div", el("table", head, el("tbody", body), cls="listing spread"), cls="scroller")


def ends_in_words(view: RunView, metric: str) -> list[str]:
    """What the best and the worst mark of a metric mean, in the words of the prompt; nothing where it does not say."""
    steps: Mapping[str, str] = (view.run.info["judging"].get("steps") or {}).get(metric) or {}
    marks = list(steps.items())
    return [f"{mark} = {meaning}" for mark, meaning in dict([marks[0], marks[-1]]).items()] if marks else []


def _histogram(counts: Sequence[int], steps: Sequence[str], missing: int) -> Html:
    """Bars for the whole marks; means of several verdicts stand at the nearest one, and missing ones apart."""
    columns = [(name, number, "") for name, number in zip(steps, counts, strict=True)]
    if missing:
        columns.append(("none", missing, "none"))
    most = max((number for _, number, _ in columns), default=0) or 1
    description = ", ".join(f"{name}: {number:,}" for name, number, _ in columns)
    bars = [
        el(
            "span",
            el("i", style=f"height:{100 * number / most:.0f}%", cls=kind or None),
            el("small", name),
            title=f"{name}: {number:,}",
        )
        for name, number, kind in columns
    ]
    return el("span", bars, cls="histogram", role="img", aria_label=description)


def _disputed(view: RunView) -> Html | None:
    """The calls on which judges, or samples of one judge, differ most."""
    disputed = disputes(view)
    if not disputed:
        return None
    rows = [
        el(
            "tr",
            el("th", el("a", dispute.case, href=cases_link(view=view, case_id=dispute.case)), scope="row", cls="label"),
            el("td", dispute.title, cls="label"),
            el("td", " · ".join(dispute.values), cls="label"),
        )
        for dispute in disputed[:MOST_DISPUTED]
    ]
    heads = [el("th", text, scope="col", cls="label") for text in ("Case", "Asked", "Verdicts")]
    more = f"; the first {MOST_DISPUTED} of {count(len(disputed), 'call')}" if len(disputed) > MOST_DISPUTED else ""
    return el(
        "div",
        el("h3", badge(view), f"Where verdicts differ most for {view.name}{more}"),
        el("div", el("table", el("thead", el("tr", heads)), el("tbody", rows), cls="listing"), cls="scroller"),
    )


def disputes(view: RunView) -> list[Dispute]:
    """All calls whose verdicts do not say the same, those that are furthest apart first."""
    scales = scales_of(view.run.info)
    disputed = []
    for record in view.records:
        by_call: dict[str, list[Any]] = {}
        for verdict in record.verdicts:
            if verdict.status == "ok":
                by_call.setdefault(verdict.key, []).append(verdict)
        name = case_name(record.case_id, record.variant)
        disputed += [dispute for verdicts in by_call.values() if (dispute := _dispute(name, verdicts, scales))]
    return sorted(disputed, key=lambda dispute: (-dispute.apart, dispute.case, dispute.title))


def _dispute(case: str, verdicts: Sequence[Any], scales: Mapping[str, tuple[str, float, float]]) -> Dispute | None:
    if len({tuple(sorted(verdict.values.items())) for verdict in verdicts}) < 2:
        return None
    first = verdicts[0]
    apart = 0.0
    for field in first.values:
        values = [float(v) for answer in verdicts if isinstance(v := answer.values.get(field), int | float)]
        if not values:  # a field of text
            continue
        metric = field if field in scales else (first.metrics or ("",))[0]
        low, high = scales[metric][1:] if metric in scales else (0.0, 1.0)
        apart = max(apart, (max(values) - min(values)) / (high - low))
    names = {metric: label for metric, (label, _, _) in scales.items()}
    title = first.question or " · ".join(names.get(metric, plain(metric)) for metric in first.metrics)
    return Dispute(case, title, tuple(_said(verdict) for verdict in verdicts), apart)


def _said(verdict: Any) -> str:
    values = [
        ("Yes" if answer else "No") if isinstance(answer, bool) else str(answer) for answer in verdict.values.values()
    ]
    who = (verdict.snapshot or verdict.judge.partition("?")[0]).rsplit("/", 1)[-1]
    return f"{'/'.join(values)} ({who}{f', sample {verdict.sample + 1}' if verdict.sample else ''})"
