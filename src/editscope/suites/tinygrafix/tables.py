"""TinyGrafixBench as its paper prints it: Tables 3, 14 and 22 to 24."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.suites.paintbench.tables import PAPER, source_of
from editscope.suites.tables import GroupFigures, PaperTable
from editscope.suites.tables.pixels import averages_table, diagnostics, flat_table, tasks_table


def tables(board: GroupFigures) -> Iterator[PaperTable]:
    """Tables 3 and 14, then 22 to 24 of the paper, which repeat the tasks for the other metrics."""
    headline = board.headline
    yield tasks_table(board, "chart", headline, f"Tables 3 and 22 {PAPER}")
    yield averages_table(board, "chart", headline, f"Table 14 {PAPER}")
    for metric in board.metrics:
        if metric != headline:
            yield tasks_table(board, "chart", metric, source_of(22, metric))
    if len(board.keys("operation")) > 1:
        yield flat_table(board, "operation", headline)
    yield from diagnostics(board)
