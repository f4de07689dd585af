"""Registry of table layouts: small functions by the suite's name, and general layouts for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from editscope.report.paper_tables.group_figures import GroupFigures, figures_by_group
from editscope.suites.tables import PaperTable

if TYPE_CHECKING:
    from editscope.report.model import Sheet

Layout: TypeAlias = Callable[[GroupFigures], Iterable[PaperTable]]

_LAYOUTS: dict[str, Layout] = {}


def layout(suite: str) -> Callable[[Layout], Layout]:
    """Register how the tables of a suite are laid out."""

    def register(make: Layout) -> Layout:
        _LAYOUTS[suite] = make
        return make

    return register


def paper_tables(sheet: Sheet, published: bool = False) -> tuple[PaperTable, ...]:
    """The tables of a set as its paper lays them out, with published columns if asked for.

    Cases that were judged by another protocol than their own have the tables of no paper, and no published results.
    """
    # Importing them registers their layouts.
    from editscope.report.paper_tables import any_judged_suite as judged
    from editscope.report.paper_tables import any_pixel_suite as general
    from editscope.report.paper_tables import paintbench, picabench, scale_suites, wiseedit  # noqa: F401

    plain: Layout = judged.tables if sheet.judged else general.tables
    foreign = sheet.judged and not own_protocol(sheet)
    shown = figures_by_group(sheet) if foreign else figures_by_group(sheet, published, as_published=True)
    made = plain(shown) if foreign else _LAYOUTS.get(sheet.suite, plain)(shown)
    return tuple(table for table in made if table.columns and any(row.cells for row in table.rows))


def own_protocol(sheet: Sheet) -> bool:
    """Whether a judged set was judged by the protocol of its own benchmark."""
    protocol = sheet.runs[0].run.info["judging"]["protocol"]["name"]
    return bool(protocol == "own" or sheet.suite.removesuffix("-complex") == protocol)
