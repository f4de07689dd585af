"""Tables as the papers lay them out, made once and shown as HTML, LaTeX and Markdown."""

from __future__ import annotations

from editscope.report.paper_tables.group_figures import GroupFigures, figures_by_group, run_names
from editscope.report.paper_tables.main_groups import main_groups
from editscope.report.paper_tables.registry import own_protocol, paper_tables
from editscope.suites.tables import (
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

__all__ = [
    "Column",
    "GroupFigures",
    "PaperCell",
    "PaperRow",
    "PaperTable",
    "figure",
    "figures_by_group",
    "full_label",
    "half_width",
    "headings",
    "main_groups",
    "own_protocol",
    "paper_tables",
    "ranks",
    "run_names",
    "table_ranks",
]
