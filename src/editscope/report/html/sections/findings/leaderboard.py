"""Leaderboard of runs among published results, each labeled with its set, prompts and judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editscope.report.html import inline_bars as charts
from editscope.report.html.links import cases_link
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge
from editscope.report.html.sections.findings.overview import sheet_label, side_metrics
from editscope.report.judged_runs import judges_in_words
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.report.paper_tables.registry import own_protocol
from editscope.stats.small_groups import is_few
from editscope.suites import suite_title
from editscope.wording import count, metric_name, metric_note, trained_note, value

if TYPE_CHECKING:
    from editscope.published import ModelCard, Result


@dataclass(frozen=True, eq=False)
class LeaderboardEntry:
    """A line of the leaderboard: a run, or a published model; ``cells`` by metric."""

    name: str
    label: str
    cells: dict[str, dict[str, float | int | None]]
    view: RunView | None = None
    card: ModelCard | None = None
    recounted: bool = False
    """Whether this is a run of the report once more, counted as the published figures are."""


def leaderboard(sheet: Sheet, options: ReportOptions) -> Html | None:
    """All runs and published models of a suite from best to worst; published ones are not runs and look it."""
    if not options.published or (sheet.judged and not own_protocol(sheet)):
        return None
    metrics = [sheet.headline, *side_metrics(sheet)]
    published = _published(sheet, metrics)
    if not published:
        return None
    entries = [*_runs(sheet, metrics), *published]
    full = 100.0 if all((_mean(e, sheet.headline) or 0) <= 100 for e in entries) else 0.0
    if not sheet.has_curves:
        full = max(_mean(e, sheet.headline) or 0 for e in entries)
    return el(
        "section",
        el("header", el("h2", "Leaderboard"), cls="section-head"),
        el(
            "p",
            f"One list for each set of cases: figures on different cases, or from different judges, are not ranked "
            f"together. Filled rows are runs of this report; the others are printed results for "
            f"{suite_title(sheet.suite)}, which are never part of a paired test.",
            cls="hint",
        ),
        _remark(sheet.suite),
        [_list(sheet, group, metrics, full) for group in by_set(entries, sheet.headline)],
        cls="board",
        id=f"leaderboard-{sheet.key}",
    )


def by_set(entries: Sequence[LeaderboardEntry], metric: str) -> list[list[LeaderboardEntry]]:
    """The entries of each set of cases, best first; runs of this report before printed results.

    Runs of one label are still apart where their cases are not the same, as with two selections of 40 cases.
    """
    lists: dict[tuple[str, frozenset[str]], list[LeaderboardEntry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.view is None, entry.recounted, _rank(entry, metric))):
        cases = frozenset(entry.view.by_id) if entry.view else frozenset()
        lists.setdefault((entry.label, cases), []).append(entry)
    return list(lists.values())


def _list(sheet: Sheet, entries: Sequence[LeaderboardEntry], metrics: Sequence[str], full: float) -> Html:
    label = entries[0].label
    return Html(
        el("p", label[:1].upper() + label[1:], cls="table-title")
        + el("div", _table(sheet, entries, metrics, full), cls="scroller tall")
    )


def _remark(suite: str) -> Html | None:
    from editscope.published import REMARKS

    return el("p", REMARKS[suite], cls="hint") if suite in REMARKS else None


def _runs(sheet: Sheet, metrics: Sequence[str]) -> list[LeaderboardEntry]:
    from editscope.published import card

    entries = []
    for view in sheet.runs:
        overall = view.summary["overall"]
        cases = view.part or count(len(view.by_id), "case")
        label = f"this report: {cases}" + (f" · {made}" if (made := sheet_label(sheet)) else "")
        if sheet.judged:
            label += f", judged by {judges_in_words(view.run.info)}"
        entries.append(
            LeaderboardEntry(view.name, label, {m: overall[m] for m in metrics if m in overall}, view, card(view.name))
        )
        counts = view.summary.get("accounting") or {}
        if counts.get("differs"):
            other, name = counts["other"]["overall"], counts["other"]["name"]
            cells = {m: other[m] for m in metrics if m in other}
            which = ", as published figures are" if name == "released" else ""
            counted_label = f"{label}, accounting {name}{which}"
            entries.append(
                LeaderboardEntry(
                    f"{view.name} (accounting {name})", counted_label, cells, view, card(view.name), recounted=True
                )
            )
    return entries


def _published(sheet: Sheet, metrics: Sequence[str]) -> list[LeaderboardEntry]:
    from editscope.published import card, label, leaderboard, main_leaderboard

    # Judged results of other levels, languages and judges are in the paper's tables; here they would mix.
    printed = main_leaderboard if sheet.judged else leaderboard
    entries: dict[tuple[str, ...], LeaderboardEntry] = {}
    for metric in metrics:
        for result in printed(sheet.suite, metric):
            who = (result.source, result.judge, result.model, result.level, result.language, result.setting)
            if metric == sheet.headline:
                entries[who] = LeaderboardEntry(result.model, label(result), {}, None, card(result.model))
            if who in entries:
                entries[who].cells[metric] = _cell(result)
    return list(entries.values())


def _cell(result: Result) -> dict[str, float | int | None]:
    half = result.half_width
    low, high = (None, None) if half is None else (result.value - half, result.value + half)
    return {"mean": result.value, "lo": low, "hi": high, "n": 0}


def _mean(entry: LeaderboardEntry, metric: str) -> float | None:
    return (entry.cells.get(metric) or {}).get("mean")


def _rank(entry: LeaderboardEntry, metric: str) -> tuple[float, bool, str]:
    mean = _mean(entry, metric)
    return (0.0 if mean is None else -mean, entry.view is None, entry.name)


def _table(sheet: Sheet, entries: Sequence[LeaderboardEntry], metrics: Sequence[str], full: float) -> Html:
    heads: list[Child] = [
        el("th", "#", scope="col", cls="place"),
        el("th", "Model", scope="col", cls="label"),
        el("th", metric_name(sheet.headline), scope="col", title=metric_note(sheet.headline)),
        el("td", cls="wide-bar"),
        [el("th", metric_name(m), scope="col", title=metric_note(m)) for m in metrics[1:]],
        el("th", "Kind", scope="col", cls="kind") if any(entry.card for entry in entries) else None,
    ]
    kinds = any(entry.card for entry in entries)
    rows = [_row(place, entry, metrics, full, kinds=kinds) for place, entry in enumerate(entries, 1)]
    return el("table", el("thead", el("tr", heads)), el("tbody", rows), cls="listing leaders")


def _row(place: int, entry: LeaderboardEntry, metrics: Sequence[str], full: float, *, kinds: bool) -> Html:
    view = entry.view
    maker = el("small", entry.card.developer) if entry.card and entry.card.developer else None
    if view and (note := trained_note(view.run.info)):
        maker = el("small", note)
    name: list[Child] = [badge(view) if view else None, el("span", el("b" if view else "span", entry.name), maker)]
    who: Child = el("a", name, href=cases_link(view=view)) if view else name
    return el(
        "tr",
        el("td", place, cls="place"),
        el("th", el("span", who, cls="who"), scope="row", cls="label"),
        el("td", _figure(entry, metrics[0])),
        el("td", charts.bar(entry.cells.get(metrics[0]) or {}, metrics[0], full), cls="wide-bar"),
        [el("td", _figure(entry, m)) for m in metrics[1:]],
        el("td", _kind(entry.card), cls="kind") if kinds else None,
        cls=f"ours run{view.index % 8}" if view else "theirs",
    )


def _figure(entry: LeaderboardEntry, metric: str) -> list[Child]:
    cell = entry.cells.get(metric)
    if not cell or cell["mean"] is None:
        return ["–"]
    text: list[Child] = [el("b", value(cell["mean"], metric))]
    low, high = cell.get("lo"), cell.get("hi")
    if low is not None and high is not None and low < high:
        text.append(el("small", f" ± {value((high - low) / 2, metric)}"))
    elif is_few(cell):
        return [el("span", text, el("small", f" n = {cell['n']}"), cls="few")]
    return text


def _kind(card: ModelCard | None) -> list[Child]:
    """Family, openness and size, as far as they are known for sure."""
    if card is None:
        return ["–"]
    parts = [card.family]
    if card.open is not None:
        parts.append("open" if card.open else "closed")
    if card.parameters_b is not None:
        parts.append(f"{card.parameters_b:g} B")
    if card.year is not None:
        parts.append(str(card.year))
    return [" · ".join(part for part in parts if part)]
