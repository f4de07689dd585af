"""Figures of a suite without a run: what it consists of, its questions, and how long its instructions are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from editscope.report.paper_figures.draw import DrawnFigure, chosen_names, folder_for, saved
from editscope.suites.registry import known_benchmark
from editscope.wording import count

if TYPE_CHECKING:
    from editscope.cases import Aggregation
    from editscope.suites import Suite

NAMES = ("composition", "statistics")
"""The figures that need no run."""


def figures_of_suite(
    suite: Suite,
    out: str | Path,
    *,
    formats: Iterable[str] = ("pdf",),
    only: Iterable[str] | None = None,
    width: str = "double",
    say: Callable[[int, int], None] | None = None,
) -> tuple[DrawnFigure, ...]:
    """Draw what a suite consists of into the folder ``out``, from its cases alone: no edit, no judge, no run.

    ``say`` is told how many cases of how many are read.
    """
    from editscope.errors import unknown
    from editscope.report.figure_data.set_statistics import statistics_of_suite
    from editscope.report.paper_figures.composition import drawn_composition
    from editscope.report.paper_figures.registry import KINDS, NothingToDraw
    from editscope.report.paper_figures.set_statistics import drawn_statistics
    from editscope.report.paper_figures.style import FORMATS, WIDTHS, settle, styled
    from editscope.suites import suite_title

    names = chosen_names("figure of a suite", only, NAMES)
    endings = chosen_names("format", formats, FORMATS)
    if width not in WIDTHS:
        raise unknown("width", width, WIDTHS)
    folder = folder_for(out)
    record = statistics_of_suite(suite, say)
    plan = suite.aggregation
    groups = main_groups_of_suite(suite.name, plan, record.cases)
    tags = {group.name: group.by[0] for group in plan.groups if len(group.by) == 1}
    drawn = []
    with styled():
        for name in names:
            try:
                figure = settle(
                    drawn_composition(list(record.cases.values()), plan, groups, width)
                    if name == "composition"
                    else drawn_statistics(record, [tags[g] for g in groups if g in tags], plan.orders, WIDTHS[width])
                )
            except NothingToDraw as reason:
                drawn.append(DrawnFigure(name, suite.name, reason=str(reason)))
                continue
            files = saved(figure, folder / f"{suite.name}-{name}", endings)
            caption = f"{KINDS[name].caption} {suite_title(suite.name)}, {count(len(record.cases), 'case')}."
            drawn.append(DrawnFigure(name, suite.name, files, caption))
    return tuple(drawn)


def main_groups_of_suite(name: str, plan: Aggregation, cases: Mapping[str, Mapping[str, str]]) -> tuple[str, str]:
    """The coarser and the finer group of a suite's main table; "" for one that it does not have.

    Where nobody says so, its first group, and inside it the first other one whose rows refine it.
    """
    record = known_benchmark(name)
    if record is not None and record.main_groups is not None:
        return record.main_groups
    single = [group for group in plan.groups if len(group.by) == 1]
    if not single:
        return "", ""
    first, *others = single
    for group in others:
        homes: dict[str, set[str]] = {}
        for tags in cases.values():
            homes.setdefault(tags.get(group.by[0], ""), set()).add(tags.get(first.by[0], ""))
        if len(homes) > 1 and all(len(home) == 1 for home in homes.values()):
            return first.name, group.name
    return "", first.name
