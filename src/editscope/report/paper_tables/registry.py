"""Tables of a set as its benchmark lays them out, or general ones where it has no layout of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from editscope.report.paper_tables.group_figures import figures_by_group
from editscope.suites.registry import known_benchmark
from editscope.suites.tables import FiguresByGroup, PaperTable, judged, pixels

if TYPE_CHECKING:
    from editscope.report.model import Sheet

Layout: TypeAlias = Callable[[FiguresByGroup], Iterable[PaperTable]]


def paper_tables(sheet: Sheet, published: bool = False) -> tuple[PaperTable, ...]:
    """The tables of a set as its paper lays them out, with published columns if asked for.

    Cases that were judged by another protocol than their own have the tables of no paper, and no published results.
    """
    general: Layout = judged.tables if sheet.judged else pixels.tables
    if sheet.judged and not own_protocol(sheet):
        tables = general(figures_by_group(sheet))
    else:
        tables = (_layout(sheet.suite) or general)(figures_by_group(sheet, published, as_published=True))
    return tuple(table for table in tables if table.columns and any(row.cells for row in table.rows))


def _layout(suite: str) -> Layout | None:
    """The layout that a benchmark brings along."""
    record = known_benchmark(suite)
    return record.part("tables") if record is not None and record.tables else None


def own_protocol(sheet: Sheet) -> bool:
    """Whether a judged set was judged by the protocol of its own benchmark."""
    protocol = str(sheet.runs[0].run.info["judging"]["protocol"]["name"])
    record = known_benchmark(sheet.suite)
    return protocol == ("own" if record is None else record.judged_by)
