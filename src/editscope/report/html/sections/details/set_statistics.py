"""What the set consists of: questions or cases by row of the main table, and the length of its instructions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from editscope.report.figure_data.set_statistics import SetStatistics, statistics_of_runs, word_bins
from editscope.report.figure_data.splits import variant_label
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Bars, BarSeries, Line, LinePlot, Point, figure
from editscope.report.html.section_parts import section_card
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.report.paper_tables import main_groups
from editscope.wording import count, plain

BINS = 14
LEAST = 5
"""Instructions: fewer have no distribution worth a plot."""


def set_statistics(sheet: Sheet, options: ReportOptions) -> Html | None:
    """The cases that the figures above are about, as the largest run has them."""
    record = statistics_of_runs(sheet)
    plots = [plot for plot in (_rows(sheet, record), _words(record)) if plot]
    if not plots:
        return None
    questions = f", {count(len(record.questions), 'question')}" if record.questions else ""
    hint = f"{count(len(record.cases), 'case')}{questions}. {_lengths(record)}".strip()
    return section_card(sheet, "statistics", "What the set consists of", hint, [el("div", plots, cls="plots")])


def _lengths(record: SetStatistics) -> str:
    """How long instructions are, in words."""
    lengths = [length for own in record.words.values() for length in own]
    if not lengths:
        return ""
    low, high = min(lengths), max(lengths)
    return f"Instructions have {count(low, 'word') if low == high else f'{low} to {high} words'}."


def _rows(sheet: Sheet, record: SetStatistics) -> Html | None:
    tags = {group.name: group.by[0] for group in sheet.aggregation.groups if len(group.by) == 1}
    tag = next((tags[name] for name in reversed(main_groups(sheet)) if name in tags), "")
    order = sheet.aggregation.orders.get(tag, ())
    if not tag:
        return None
    by_key = record.questions_by(tag, order) if record.questions else record.cases_by(tag, order)
    if len(by_key) < 2:
        return None
    answers = sorted({answer for counts in by_key.values() for answer in counts}, reverse=True)
    series = [
        BarSeries(0, place, _answer(answer), _points(by_key, answer, tag)) for place, answer in enumerate(answers)
    ]
    most = max(max(counts.values()) for counts in by_key.values())
    what = "Questions" if record.questions else "Cases"
    title = f"{what} by {plain(tag).lower()}"
    plot = Bars([plain(key) for key in by_key], series, what.lower(), (0.0, 1.05 * most), whole=True)
    return figure(title, plot.svg(title), plot.traces(), plot.layout())


def _answer(answer: str) -> str:
    return f"right answer {answer.lower()}" if answer else "cases"


def _points(by_key: dict[str, Counter[str]], answer: str, tag: str) -> Sequence[Point | None]:
    return [
        Point(float(counts[answer]), None, None, f"{plain(key)}: {counts[answer]:,}", cases_query({tag: key}))
        if counts[answer]
        else None
        for key, counts in by_key.items()
    ]


def _words(record: SetStatistics) -> Html | None:
    """The length of instructions, one line for each level or language."""
    kinds = [kind for kind, lengths in record.words.items() if len(lengths) >= LEAST]
    if not kinds:
        return None
    edges, shares = word_bins({kind: record.words[kind] for kind in kinds}, BINS)
    if len(edges) < 4:  # one or two lengths: said in words
        return None
    ticks = [str(low) for low in edges[:-1]]
    each = "" if edges[1] == edges[0] + 1 else f", in steps of {edges[1] - edges[0]}"
    lines = [
        Line(place, f"{variant_label(kind) or 'Instructions'}, median {record.median_words(kind):g}", shares[kind])
        for place, kind in enumerate(kinds)
    ]
    plot = LinePlot(ticks, lines, f"words of an instruction{each}", "% of instructions", marks=True)
    title = "Length of the instructions"
    note = "; ".join(line.name.lower() for line in lines)
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), note=note)
