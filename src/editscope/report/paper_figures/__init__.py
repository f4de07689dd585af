"""Figures for a paper: drawn with Matplotlib, in vectors, the same bytes every time."""

from __future__ import annotations

from editscope.report.paper_figures.draw import DrawnFigure, figure_names, figures_for
from editscope.report.paper_figures.suite_figures import figures_of_suite

__all__ = ["DrawnFigure", "figure_names", "figures_for", "figures_of_suite"]
