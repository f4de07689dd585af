"""Tables as papers print them: what they are made of, and layouts that several benchmarks share."""

from __future__ import annotations

from editscope.suites.tables.figures import OVERALL, CellsByGroup, FiguresByGroup, difference
from editscope.suites.tables.records import (
    Column,
    Kind,
    PaperCell,
    PaperRow,
    PaperTable,
    Ranks,
    figure,
    full_label,
    half_width,
    headings,
    ranks,
    small_n,
    table_ranks,
)

__all__ = [
    "OVERALL",
    "CellsByGroup",
    "Column",
    "FiguresByGroup",
    "Kind",
    "PaperCell",
    "PaperRow",
    "PaperTable",
    "Ranks",
    "difference",
    "figure",
    "full_label",
    "half_width",
    "headings",
    "ranks",
    "small_n",
    "table_ranks",
]
