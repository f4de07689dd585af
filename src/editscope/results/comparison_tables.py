"""Comparisons of runs as Rich tables that stay readable in a narrow terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from editscope.printing import NARROWEST, folded
from editscope.results.comparison_text import interval, letter
from editscope.wording import metric_in_text, p_value, signed, value

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.results.comparison import CaseContrast, Comparison
    from editscope.stats.paired import Paired

NARROW, MIDDLE = 72, 92
PAIR = 17
"""Letters that a mean and its difference take in a table of several runs."""


def print_comparison(comparison: Comparison, console: Console, by: Sequence[str]) -> None:
    """The runs with their overall differences, then the groups, then what it means."""
    console.print(_heading(comparison), markup=False)
    console.print(_overall(comparison, console.width))
    for kind in by:
        console.print(f"\nby {kind}", style="dim")
        for shown in _pieces(comparison, kind, console.width):
            console.print(_groups(comparison, kind, console.width, shown))
    console.print()
    for note in comparison.notes():
        console.print(note, markup=False)


def print_cases(comparison: Comparison, console: Console, n: int) -> None:
    """The cases that differ most, with scores, failure modes and instruction."""
    cases = [case for case in comparison.cases(n) if case.difference]
    if not cases:
        return
    most = f"the {len(cases)} cases that differ" if len(cases) > 1 else "the case that differs"
    console.print(f"\n{most} most", style="dim")
    for case in cases:
        console.print(_case(comparison, case))


def _heading(comparison: Comparison) -> str:
    n = len(comparison.taken[0]["case_id"]) - comparison.left_out.diagnostic
    suite = comparison.runs[0].info["suite"]["name"]
    cases = f"{n:,} shared case{'' if n == 1 else 's'}"
    if comparison.runs[0].judged:
        n_cases = len(set(comparison.taken[0]["case_id"]))
        cases = f"{n_cases:,} shared case{'' if n_cases == 1 else 's'}, {n:,} score{'' if n == 1 else 's'}"
    return f"{suite} · {metric_in_text(comparison.metric)} · {cases} · * p < 0.05, ** 0.01, *** 0.001"


def _overall(comparison: Comparison, width: int) -> Table:
    """One row for each run: its mean, and how it differs from the first."""
    table = _table(width)
    first = comparison.tables[0].overall
    room = int(table.columns[0].max_width or width)
    table.add_row(
        _name(0, comparison.names[0], room), value(first.mean_a, comparison.metric), *[""] * (len(table.columns) - 2)
    )
    for index, found in enumerate(comparison.tables, start=1):
        cells = _cells(found.overall, comparison.metric, width)
        table.add_row(
            _name(index, comparison.names[index], room), value(found.overall.mean_b, comparison.metric), *cells
        )
    return table


def _pieces(comparison: Comparison, kind: str, width: int) -> list[range]:
    """Which runs stand in one table: columns without room would be left out, so they get a table of their own."""
    longest = max((len(key) for _, key, _ in comparison.lines(kind)), default=0)
    room = max(1, (width - longest - 12) // PAIR)
    others = range(1, len(comparison.runs))
    return [others[i : i + room] for i in range(0, len(others), room)]


def _groups(comparison: Comparison, kind: str, width: int, shown: range) -> Table:
    """For two runs the whole row; for more, each mean with its difference to the first."""
    two = len(comparison.runs) == 2
    table = _table(width, means=("A", "B")) if two else _means_table(shown)
    for _, key, found in comparison.lines(kind):
        name = Text(folded(f"  {key}", int(table.columns[0].max_width or width)))
        known = next(paired for paired in found if paired is not None)
        means: list[str | Text] = [value(known.mean_a, comparison.metric)]
        if two:
            table.add_row(
                name,
                *means,
                value(known.mean_b, comparison.metric),
                *_cells(known, comparison.metric, width),
                style="dim" if known.few else None,
            )
            continue
        for paired in (found[index - 1] for index in shown):
            means += (
                ["–", ""]
                if paired is None
                else [value(paired.mean_b, comparison.metric), _difference(paired, comparison.metric)]
            )
        table.add_row(name, *means)
    return table


def _table(width: int, means: Sequence[str] = ("mean",)) -> Table:
    table = Table(box=None, pad_edge=False)
    # A long name is folded before a figure is cut: half of one would be read as another.
    taken = 7 * len(means) + 12 + 15 + (14 if width >= NARROW else 0) + (19 if width >= MIDDLE else 0)
    table.add_column("", no_wrap=True, min_width=8, max_width=max(NARROWEST, width - taken - 2))
    for heading in means:
        table.add_column(heading, justify="right", no_wrap=True, min_width=5)
    table.add_column("B − A" if len(means) == 2 else "difference", justify="right", no_wrap=True, min_width=10)
    table.add_column("95 %", justify="right", no_wrap=True, min_width=13)
    if width >= NARROW:
        table.add_column("win/tie/loss", justify="right", no_wrap=True, min_width=12)
    if width >= MIDDLE:
        table.add_column("p", justify="right", no_wrap=True, min_width=6)
        table.add_column("sign test", justify="right", no_wrap=True, min_width=9)
    return table


def _means_table(shown: range) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True, overflow="ellipsis", min_width=8)
    table.add_column("A", justify="right", no_wrap=True, min_width=5)
    for index in shown:
        table.add_column(letter(index), justify="right", no_wrap=True, min_width=5)
        table.add_column("− A", justify="right", no_wrap=True, min_width=8)
    return table


def _cells(paired: Paired, metric: str, width: int) -> list[str | Text]:
    cells: list[str | Text] = [_difference(paired, metric), interval(paired, metric)]
    if width >= NARROW:
        cells.append(f"{paired.wins:,}/{paired.ties:,}/{paired.losses:,}")
    if width >= MIDDLE:
        cells += [p_value(paired.p_holm, compact=True), p_value(paired.p_sign, compact=True)]
    return cells


def _difference(paired: Paired, metric: str) -> Text:
    """The difference with its stars, the stars in their own place so that figures stand in line."""
    style = "" if not paired.stars or metric.endswith("_ratio") else "green" if paired.difference > 0 else "red"
    return Text(f"{signed(paired.difference, metric)}{paired.stars:<3}", style=style)


def _name(index: int, name: str, width: int) -> Text:
    return Text.assemble((letter(index), "bold"), folded(f"{letter(index)}  {name}", width).removeprefix(letter(index)))


def _case(comparison: Comparison, case: CaseContrast) -> Group:
    """The case with its scores in one line, and indented below it how each run failed and what was asked."""
    shown = ["–" if score is None else value(score, comparison.metric) for score in case.scores]
    scores = " · ".join(f"{letter(index)} {score}" for index, score in enumerate(shown))
    modes = " · ".join(f"{letter(i)} {mode.replace('_', ' ')}" for i, mode in enumerate(case.failures))
    if len(set(case.failures)) == 1:
        modes = f"both {case.failures[0].replace('_', ' ')}" if len(shown) == 2 else modes
    if comparison.runs[0].judged:  # where a judge has no name for what went wrong, the table says only what is missing
        modes = " · ".join(f"{letter(i)} {mode.replace('_', ' ')}" for i, mode in enumerate(case.failures) if mode)
    variant = f" · {case.variant}" if case.variant else ""
    difference = f"  {signed(case.difference, comparison.metric)}   "
    head = Text.assemble((f"{case.case_id}{variant}", "bold"), difference, scores, overflow="fold")
    below = Text.assemble(f"{modes}\n" if modes else "", (" ".join(case.instruction.split()), "dim"), overflow="fold")
    return Group(head, Padding(below, (0, 0, 0, 4)))
