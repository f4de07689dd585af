"""Runs against one another, case by case: who is better, by how much, where, and whether chance could do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from editscope.errors import BadInput
from editscope.report.figure_data.statistics import paired_resamples
from editscope.report.html.case_cards import card, case_row
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Choices, Dots, Heat, Point, figure
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView, Sheet, is_diagnostic
from editscope.report.options import ReportOptions
from editscope.stats.diagnosis import largest_differences
from editscope.stats.diagnosis.averages import average
from editscope.stats.paired import Paired, PairedTable, compare_rows
from editscope.stats.small_groups import leaves_out
from editscope.stats.summary import percent_scale
from editscope.wording import count, metric_name, p_value, plain, signed, signed_range, value

MANY = 5
CASES = 8


def comparison(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Every run against the first; of three or more, also every pair at a glance."""
    if len(sheet.runs) < 2:
        return None
    metric, resamples = sheet.headline, paired_resamples(sheet)
    first, *others = sheet.runs
    tables: list[tuple[RunView, PairedTable]] = []
    for view in others:
        try:
            table = compare_rows(
                first.scores, view.scores, sheet.aggregation, metric, match=sheet.match, resamples=resamples
            )
        except BadInput:  # no case in common: the overview says so
            continue
        tables.append((view, table))
    if not tables:
        return None
    return el(
        "section",
        el("header", el("h2", "Run against run"), cls="section-head"),
        el(
            "p",
            f"Case by case, on the cases that both runs have: difference in {metric_name(metric)} in points with a "
            f"95 % interval (paired bootstrap, {resamples:,} resamples) and a sign-flip test, corrected after "
            "Holm within each kind of row. *** p < 0.001, ** p < 0.01, * p < 0.05.",
            cls="hint",
        ),
        _by_judge_alone(sheet),
        _overall_table(first, tables, metric),
        _matrix(sheet, metric) if len(sheet.runs) > 2 else None,
        _forest(sheet, first, tables, metric),
        _apart(sheet, metric),
        cls="card",
        id=f"comparison-{sheet.key}",
    )


def _by_judge_alone(sheet: Sheet) -> Html | None:
    """Where people's labels rank the runs, that this section does not."""
    if sheet.calibration is None:
        return None
    link = el("a", "People and judge", href=f"#people-{sheet.key}")
    return el(
        "p",
        "These comparisons are by the judge alone. ",
        link,
        " says which of them people's labels bear out.",
        cls="notice",
    )


def _overall_table(first: RunView, tables: Sequence[tuple[RunView, PairedTable]], metric: str) -> Html:
    heads = ["", "", "Difference", "95 % interval", "p", "Wins · ties · losses", "Effect size", "Pairs"]
    notes = {6: "Cohen's d_z over cases: mean of the differences / their standard deviation"}
    rows = [_overall_row(first, view, table, metric) for view, table in tables]
    return el(
        "div",
        el(
            "table",
            el("thead", el("tr", [el("th", head, scope="col", title=notes.get(i)) for i, head in enumerate(heads)])),
            el("tbody", rows),
            cls="listing versus",
        ),
        cls="scroller",
    )


def _overall_row(first: RunView, view: RunView, table: PairedTable, metric: str) -> Html:
    overall = table.overall
    clear = bool(overall.stars)  # the test, as in the terminal: an interval may leave out 0 where it does not
    more = "better" if overall.difference > 0 else "worse"
    verdict = (
        f"{view.name} is {more} than {first.name}" if clear else f"{view.name} and {first.name} cannot be told apart"
    )
    if overall.few:
        verdict = f"{count(overall.cases, 'case')}: too few to compare {view.name} and {first.name}"
    left = table.only_a + table.only_b + table.valueless
    left_out = f" {count(left, 'score')} left out" if view.run.judged else f" {left:,} left out"
    return el(
        "tr",
        el("th", badge(view), " − ", badge(first), scope="row", cls="label pairing"),
        el("td", verdict, cls="said"),
        el(
            "td",
            el("b", signed(overall.difference, metric)),
            overall.stars,
            cls="good" if overall.difference > 0 else "bad",
        )
        if clear
        else el("td", signed(overall.difference, metric)),
        el("td", _ends(overall, metric)),
        el("td", p_value(overall.p)),
        el("td", _record(overall)),
        el("td", "–" if overall.effect is None else f"{overall.effect:+.2f}".replace("-", "−")),
        el("td", f"{overall.n:,}", el("small", left_out) if left else None),
        cls="few" if overall.few or (overall.lo is None and not clear) else None,
    )


def _ends(paired: Paired, metric: str) -> str:
    if paired.lo is None or paired.hi is None:
        return "–"
    return f"{signed(paired.lo, metric)} … {signed(paired.hi, metric)}"


def _record(paired: Paired) -> Html:
    total = max(paired.wins + paired.ties + paired.losses, 1)
    parts = (("good", paired.wins), ("even", paired.ties), ("bad", paired.losses))
    bar = [el("i", cls=kind, style=f"flex-grow:{100 * n / total:.2f}") for kind, n in parts if n]
    text = f"{paired.wins:,} · {paired.ties:,} · {paired.losses:,}"
    return el("span", el("span", bar, cls="record-bar"), text, cls="record")


def _matrix(sheet: Sheet, metric: str) -> Html | None:
    """Row minus column for every pair, from one set of resamples over the cases that all runs have."""
    shared = _shared(sheet, metric)
    if shared is None:
        return None
    rows, values = shared
    overall = sheet.aggregation.overall
    table = average(rows, sheet.aggregation, overall, values, resamples=paired_resamples(sheet))
    if not len(table.means):
        return None
    means, scale = table.means[0], percent_scale(metric)
    order = sorted(range(len(sheet.runs)), key=lambda i: (-means[i], i))
    cells = {(i, j): table.contrast(0, i, j, scale) for i in order for j in order if i != j}
    views = sheet.runs
    largest = max(abs(cell.mean) for cell in cells.values())

    def tooltip(i: int, j: int) -> str:
        a, b = order[i], order[j]
        cell = cells[a, b]
        clear = "; the interval includes 0" if cell.lo is not None and not leaves_out(cell.lo, cell.hi) else ""
        around = f" ({span})" if (span := signed_range(cell.lo, cell.hi, metric)) else ""
        return f"{views[a].name} − {views[b].name}: {signed(cell.mean, metric)}{around}{clear}"

    heat = Heat(
        "row − column",
        [badge(views[j]) for j in order],
        [(f"{views[i].letter} {views[i].name}", [None if i == j else cells[i, j].mean for j in order]) for i in order],
        largest,
        diverging=True,
        tooltip=tooltip,
        text=lambda v: signed(v, metric),
        faint=lambda i, j: not leaves_out((c := cells[order[i], order[j]]).lo, c.hi),
    )
    cases = count(_averaged(sheet, rows), "case")
    title = (
        f"Every pair, best first, on {cases} that all runs have; pale where the interval includes 0 or there is none"
    )
    return heat.table(title)


def _averaged(sheet: Sheet, rows: Mapping[str, Sequence[Any]]) -> int:
    """How many cases of these rows the averages take in."""
    tags = [tag for tag in sheet.aggregation.exclude if tag in rows]
    lines = zip(rows["case_id"], *(rows[tag] for tag in tags), strict=True)
    shut = {
        case
        for case, *values in lines
        if tags and is_diagnostic(dict(zip(tags, values, strict=True)), sheet.aggregation)
    }
    return len(set(rows["case_id"]) - shut)


def _shared(sheet: Sheet, metric: str) -> tuple[Mapping[str, Sequence[Any]], Any] | None:
    """The rows of the first run whose case every run has with a value, and the values of all runs, run by run."""
    maps = []
    for view in sheet.runs:
        named = zip(*(view.scores[name] for name in sheet.match), strict=True)
        maps.append({key: v for key, v in zip(named, view.scores[metric], strict=True) if v is not None})
    first = sheet.runs[0].scores
    places = [
        i
        for i, key in enumerate(zip(*(first[name] for name in sheet.match), strict=True))
        if all(key in by_key for by_key in maps)
    ]
    if not places:
        return None
    keys = [tuple(first[name][i] for name in sheet.match) for i in places]
    values = np.array([[by_key[key] for by_key in maps] for key in keys], dtype=np.float64)
    used = {*sheet.aggregation.tags, "case_id"}
    return {tag: [first[tag][i] for i in places] for tag in sorted(used) if tag in first}, values


def _forest(sheet: Sheet, first: RunView, tables: Sequence[tuple[RunView, PairedTable]], metric: str) -> Html | None:
    """Differences by row of the tables, for the pair that one chooses."""
    groups = [g for g in (sheet.coarse, sheet.fine) if g is not None]
    groups = list({g.name: g for g in groups}.values())
    keys = [(g, key) for g in groups for key in sheet.keys(g.name)]
    if not keys:
        return None
    bold = 1 + sum(g is groups[0] for g, _ in keys) if len(groups) > 1 else 1
    labels = ["All", *(" · ".join(plain(part) for part in key.split("/")) for _, key in keys)]
    plots = []
    for view, table in tables:
        points: list[Point | None] = [_point("All", table.overall, metric, "")]
        for (group, key), label in zip(keys, labels[1:], strict=True):
            paired = table.group(group.name, key)
            link = f"{cases_query(sheet.tags_of(group, key))}&a={first.letter}&b={view.letter}"
            points.append(None if paired is None else _point(label, paired, metric, link))
        pair = f"{view.letter} − {first.letter}"
        plots.append((pair, view, Dots(labels, [(view.index, pair, points)], "points", lines=[(0.0, None)], bold=bold)))
    pair, _, plot = plots[0]
    choices = Choices("Pair", [(f"{pair}: {view.name} − {first.name}", dots.traces()) for pair, view, dots in plots])
    arrangement = plot.layout()
    del arrangement["xaxis"]["range"]  # each pair has its own, with 0 in it
    arrangement["xaxis"]["rangemode"] = "tozero"
    return figure(
        f"Difference in {metric_name(metric)} by {listed_groups([g.name for g in groups])}",
        plot.svg(f"Difference {pair}"),
        plot.traces(),
        arrangement,
        note="right of 0: better than the first run; filled where p < 0.05 after correction",
        choices=choices if len(plots) > 1 else None,
    )


def listed_groups(names: Sequence[str]) -> str:
    """Names of groups in a title.

    >>> listed_groups(["category", "task"])
    'category and task'
    """
    return " and ".join(plain(name).lower() for name in names)


def _point(label: str, paired: Paired, metric: str, link: str) -> Point:
    around = f" ({span})" if (span := signed_range(paired.lo, paired.hi, metric)) else ""
    tooltip = (
        f"{label}: {signed(paired.difference, metric)}{around}"
        f" {paired.stars}\np = {p_value(paired.p)}, corrected {p_value(paired.p_holm)}"
        f"\n{paired.wins} wins, {paired.ties} ties, {paired.losses} losses of {paired.cases} cases"
    )
    faint = paired.few or (paired.lo is None and not paired.stars)
    return Point(paired.difference, paired.lo, paired.hi, tooltip, link, strong=bool(paired.stars), faint=faint)


def _apart(sheet: Sheet, metric: str) -> Html | None:
    """The cases in which two runs differ most: of many, the best two that differ at all."""
    views = sorted(sheet.runs, key=lambda view: (-(view.summary["overall"][metric]["mean"] or 0.0), view.index))
    for pair in combinations(views[:MANY], 2):
        a, b = sorted(pair, key=lambda view: view.index)
        cases = largest_differences(a.by_case, b.by_case, metric, n=CASES, exclude=sheet.aggregation.exclude)
        all_cards = [card((c.case_id, c.variant), [(a, value(c.a, metric)), (b, value(c.b, metric))]) for c in cases]
        if cards := [card_html for card_html in all_cards if card_html]:
            return case_row(f"Where {a.name} and {b.name} differ most", cards)
    return None
