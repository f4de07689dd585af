"""Plots: each is a drawing that needs nothing, and beside it the data from which Plotly makes it interactive."""

from __future__ import annotations

from editscope.report.html.plots.bars import Bars, BarSeries
from editscope.report.html.plots.dots import Dots, Point
from editscope.report.html.plots.heat import Heat
from editscope.report.html.plots.lines import Line, LinePlot
from editscope.report.html.plots.plotly_frame import Choices, Json, figure, installed, script, shown
from editscope.report.html.plots.radar import Radar
from editscope.report.html.plots.scatter import Mark, Scatter
from editscope.report.html.plots.stacks import Stack, Stacks
from editscope.report.html.plots.step_curves import StepCurve, StepCurves
from editscope.report.html.plots.violins import Violin, Violins

__all__ = [
    "BarSeries",
    "Bars",
    "Choices",
    "Dots",
    "Heat",
    "Json",
    "Line",
    "LinePlot",
    "Mark",
    "Point",
    "Radar",
    "Scatter",
    "Stack",
    "Stacks",
    "StepCurve",
    "StepCurves",
    "Violin",
    "Violins",
    "figure",
    "installed",
    "script",
    "shown",
]
