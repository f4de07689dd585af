"""The papers' tables in their own layout, made once and shown as HTML, LaTeX and Markdown."""

from __future__ import annotations

from editscope.report.layouts.board import Board, board, run_names
from editscope.report.layouts.groups import main_groups
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
from editscope.report.layouts.registry import layout, own_protocol, paper_tables

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
    "main_groups",
    "own_protocol",
    "paper_tables",
    "ranks",
    "run_names",
    "table_ranks",
]
