"""Figures for a paper: drawn with Matplotlib, in vectors, the same bytes every time."""

from __future__ import annotations

from editscope.report.paper_figures.draw import DrawnFigure, figure_names, figures_for

__all__ = ["DrawnFigure", "figure_names", "figures_for"]
