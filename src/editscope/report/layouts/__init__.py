"""The papers' tables in their own layout, made once and shown as HTML, LaTeX and Markdown."""

from __future__ import annotations

from editscope.report.layouts.board import Board, board, run_names
from editscope.report.layouts.records import (
    Column,
    PaperCell,
    PaperRow,
    PaperTable,
    figure,
    full_label,
    half_width,
    headings,
    ranks,
    table_ranks,
)
from editscope.report.layouts.registry import layout, paper_tables

__all__ = [
    "Board",
    "Column",
    "PaperCell",
    "PaperRow",
    "PaperTable",
    "board",
    "figure",
    "full_label",
    "half_width",
    "headings",
    "layout",
    "paper_tables",
    "ranks",
    "run_names",
    "table_ranks",
]
