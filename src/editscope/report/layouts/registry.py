"""Which suite has which tables: small functions registered by the suite's name, and a general layout for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from editscope.report.layouts.board import Board, board
from editscope.report.layouts.records import PaperTable

if TYPE_CHECKING:
    from editscope.report.model import Sheet

Layout: TypeAlias = Callable[[Board], Iterable[PaperTable]]

_LAYOUTS: dict[str, Layout] = {}


def layout(suite: str) -> Callable[[Layout], Layout]:
    """Register how the tables of a suite are laid out."""

    def register(make: Layout) -> Layout:
        _LAYOUTS[suite] = make
        return make

    return register


def paper_tables(sheet: Sheet, published: bool = False) -> tuple[PaperTable, ...]:
    """The tables of a set as its paper lays them out, with published columns if asked for."""
    from editscope.report.layouts import general, pixels  # noqa: F401 - importing them registers their layouts

    made = _LAYOUTS.get(sheet.suite, general.tables)(board(sheet, published))
    return tuple(table for table in made if any(row.cells for row in table.rows))
