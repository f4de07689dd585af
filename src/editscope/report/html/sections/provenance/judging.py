"""Judging of a set: who judged with which prompts, what is missing, and what that could change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge
from editscope.report.judged_runs import judge_in_words, judges_in_words, protocol_in_words
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.results.accounting import accounting_in_words, accounting_of, rules_in_words, unsupported_in_words
from editscope.wording import count, metric_name, plain, value

SHOWN = 8
"""Letters of a hash that are enough to tell prompts apart; run.json has all of it."""


def judging(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Judge, snapshots, prompts, coverage of edits and verdicts, and the bounds that missing verdicts leave."""
    if not sheet.judged:
        return None
    heads = [el("th", badge(view), view.name, scope="col") for view in sheet.runs]
    rows: dict[str, dict[int, Child]] = {}
    for view in sheet.runs:
        for name, fact in _facts(sheet, view):
            rows.setdefault(name, {})[view.index] = fact
    body = [
        el("tr", el("th", name, scope="row", cls="label"), [el("td", cells.get(v.index, "–")) for v in sheet.runs])
        for name, cells in rows.items()
    ]
    table = el(
        "table",
        el("thead", el("tr", el("th", "", scope="col", cls="label"), heads)),
        el("tbody", body),
        cls="listing told",
    )
    return el(
        "section",
        el("header", el("h2", "How it was judged"), cls="section-head"),
        el(
            "p",
            _counting(sheet),
            cls="hint",
        ),
        el("div", table, cls="scroller"),
        _bounds(sheet),
        _two_ways(sheet),
        cls="card judging",
        id=f"judging-{sheet.key}",
    )


def _counting(sheet: Sheet) -> str:
    """What becomes of missing edits and of calls without a verdict, in words."""
    used = {(view.summary.get("accounting") or {}).get("used", "ours") for view in sheet.runs}
    if used == {"released"}:
        return (
            "Missing edits and calls that gave no verdict count as the released tool counts them, as said below. The "
            "bounds say where the mean would lie had all of these calls given the worst answer, or the best."
        )
    return (
        "An edit that is missing counts as said below. A call that gave no verdict is never a number: it takes no "
        "part in a mean, and the bounds say where the mean would lie had all of them been the worst, or the best."
    )


def judged_apart(sheet: Sheet) -> Html | None:
    """Say so when runs of one table were not judged alike: their difference is then not the editors' alone."""
    if not sheet.judged:
        return None
    apart = []
    for what, seen in (
        ("judges", {judges_in_words(view.run.info) for view in sheet.runs}),
        ("snapshots", {tuple(sorted(_snapshots(view))) for view in sheet.runs}),
        ("prompts", {view.run.info["judging"]["prompts"].get("hash") for view in sheet.runs}),
        ("accountings", {accounting_of(view.run.info) for view in sheet.runs}),
        ("numbers of samples", {view.run.info["judging"].get("samples", 1) for view in sheet.runs}),
    ):
        if len(seen) > 1:
            apart.append(what)
    if not apart:
        return None
    return el("p", f"These runs had different {' and '.join(apart)}; compare them with care.", cls="notice")


def _facts(sheet: Sheet, view: RunView) -> Iterator[tuple[str, Child]]:
    judging_info: Mapping[str, Any] = view.run.info["judging"]
    summary, prompts = view.summary, judging_info["prompts"]
    yield "judge", [[judge_in_words(spec), el("br")] for spec in judging_info["judges"]]
    snapshots = _snapshots(view)
    if snapshots:
        yield "snapshot", "; ".join(f"{name} ({number:,})" for name, number in snapshots.items())
    yield "protocol", protocol_in_words(view.run.info)
    version = f"version {prompts['version']}, " if prompts.get("version") else ""
    yield "prompts", [version, "hash ", el("code", str(prompts.get("hash", ""))[:SHOWN])]
    files: Mapping[str, str] = prompts.get("files") or {}
    if files:
        listing = [el("li", name, " ", el("code", digest[:SHOWN])) for name, digest in files.items()]
        yield "prompt files", el("details", el("summary", count(len(files), "file")), el("ul", listing))
    yield "samples of each call", str(judging_info.get("samples", 1))
    yield "edits", _statuses(summary.get("edits") or {})
    if outside := unsupported_in_words(summary):
        yield "more pictures than it takes", outside
    rules = rules_in_words(view.run.info)
    yield "accounting", accounting_of(view.run.info)
    yield "a missing edit", rules["missing_edit"]
    yield "a failed call", rules["failed_call"]
    yield "verdicts", _statuses(summary.get("verdicts") or {})
    if agreement := summary.get("agreement"):
        share = f"{agreement['mean']:.1f} % of pairs say the same"
        yield "agreement", f"{share} ({agreement['n']:,} numbers asked for several times)"
    if labels := summary.get("labels"):
        yield "labels", _labels(labels)
    yield from _spent(summary.get("spent") or {})


def _snapshots(view: RunView) -> dict[str, int]:
    counts: dict[str, int] = {}
    seen: Mapping[str, Mapping[str, int]] = view.summary.get("snapshots") or {}
    for names in seen.values():
        for name, number in names.items():
            if name:
                counts[name] = counts.get(name, 0) + number
    return counts


def _statuses(counts: Mapping[str, int]) -> list[Child]:
    total = sum(counts.values())
    rest = [f"{number:,} {plain(status).lower()}" for status, number in counts.items() if status != "ok" and number]
    share: Child = el("b", f"{counts.get('ok', 0):,}", " of ", f"{total:,}")
    return [share, el("small", f" · {', '.join(rest)}", cls="warn") if rest else None]


def _labels(labels: Mapping[str, Any]) -> str:
    return (
        f"{labels['yes']:.1f} % of {labels['questions']:,} are Yes: a judge that always says yes gets "
        f"{labels['always_yes']:.1f}, an unchanged picture {labels['unchanged']:.1f} if it shows nothing asked for"
    )


def _spent(spent: Mapping[str, Any]) -> Iterator[tuple[str, Child]]:
    if not spent:
        return
    cached = f", {spent['cached']:,} from the cache" if spent.get("cached") else ""
    yield "calls", f"{spent['calls']:,} made{cached}"
    guessed = f"; those of {spent['estimated']:,} answers are estimated" if spent.get("estimated") else ""
    yield "tokens", f"{spent['input_tokens']:,} in, {spent['output_tokens']:,} out{guessed}"
    cost = spent.get("cost_usd")
    if cost is not None:
        yield "cost", f"US$ {cost:,.2f}" if cost >= 0.005 or not cost else "under US$ 0.01"


def _bounds(sheet: Sheet) -> Html | None:
    """For every measure that lacks verdicts, the mean that there is and where it could lie."""
    rows, marked = [], False
    for metric in sheet.metrics:
        for view in sheet.runs:
            cell = view.summary["overall"].get(metric) or {}
            if cell.get("missing"):
                ends = sorted(end for end in (cell["worst"], cell["best"]) if end is not None)
                outside = cell["mean"] is not None and bool(ends) and not ends[0] <= cell["mean"] <= ends[-1]
                marked = marked or outside
                rows.append(
                    el(
                        "tr",
                        el("th", metric_name(metric), scope="row", cls="label"),
                        el("td", badge(view), " ", view.name, cls="label"),
                        el("td", el("b", value(cell["mean"], metric)), " *" if outside else None),
                        el("td", value(cell["worst"], metric)),
                        el("td", value(cell["best"], metric)),
                        el("td", f"{cell['missing']:,}"),
                    )
                )
    if not rows:
        return None
    heads = [el("th", text, scope="col", cls="label" if i < 2 else None) for i, text in enumerate(BOUND_HEADS)]
    return el(
        "div",
        el("h3", "What missing verdicts could change"),
        el(
            "div",
            el("table", el("thead", el("tr", heads)), el("tbody", rows), cls="listing bounds"),
            cls="scroller",
        ),
        el("p", OUTSIDE, cls="hint") if marked else None,
    )


def _two_ways(sheet: Sheet) -> Html | None:
    """Both means of every measure on which our accounting and the released one differ, and how far they are apart."""
    rows = []
    for metric in sheet.metrics:
        for view in sheet.runs:
            accounting = view.summary.get("accounting") or {}
            apart = (accounting.get("difference") or {}).get(metric)
            if apart:
                used, other = view.summary["overall"][metric]["mean"], accounting["other"]["overall"][metric]["mean"]
                ours, theirs = (used, other) if accounting["used"] == "ours" else (other, used)
                rows.append(
                    el(
                        "tr",
                        el("th", metric_name(metric), scope="row", cls="label"),
                        el("td", badge(view), " ", view.name, cls="label"),
                        el("td", el("b" if accounting["used"] == "ours" else "span", value(ours, metric))),
                        el("td", el("b" if accounting["used"] == "released" else "span", value(theirs, metric))),
                        el("td", f"{theirs - ours:+.2f}".replace("-", "−")),
                    )
                )
    notes = [
        el("p", f"{view.name}: {accounting_in_words(view.summary)}.", cls="hint")
        for view in sheet.runs
        if (view.summary.get("accounting") or {}).get("unknown")
    ]
    if not rows and not notes:
        return None
    heads = [el("th", text, scope="col", cls="label" if i < 2 else None) for i, text in enumerate(ACCOUNTING_HEADS)]
    table = el("table", el("thead", el("tr", heads)), el("tbody", rows), cls="listing bounds accounting")
    return el(
        "div",
        el("h3", "Failed calls and missing edits, counted in two ways"),
        el(
            "p",
            "Bold is the accounting of this run. Published figures were counted by the released tool.",
            cls="hint",
        ),
        el("div", table, cls="scroller") if rows else None,
        notes,
    )


ACCOUNTING_HEADS = ("Measure", "Run", "Ours", "Released", "Difference")
OUTSIDE = (
    "* The mean covers the cases that have a number, the bounds cover all: the open cases are known to be worse, or "
    "better, than the others. Trust the bounds."
)
BOUND_HEADS = ("Measure", "Run", "Mean", "All worst", "All best", "Missing")
