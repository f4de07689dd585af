"""TinyGrafixBench as its paper prints it: Tables 3, 14 and 22 to 24."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.suites.paintbench.tables import PAPER, source_of
from editscope.suites.tables import FiguresByGroup, PaperTable
from editscope.suites.tables.pixels import averages_table, diagnostics, flat_table, tasks_table


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """Tables 3 and 14, then 22 to 24 of the paper, which repeat the tasks for the other metrics."""
    headline = groups.headline
    yield tasks_table(groups, "chart", headline, f"Tables 3 and 22 {PAPER}")
    yield averages_table(groups, "chart", headline, f"Table 14 {PAPER}")
    for metric in groups.metrics:
        if metric != headline:
            yield tasks_table(groups, "chart", metric, source_of(22, metric))
    if len(groups.keys("operation")) > 1:
        yield flat_table(groups, "operation", headline)
    yield from diagnostics(groups)
