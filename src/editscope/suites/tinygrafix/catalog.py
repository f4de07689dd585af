"""Contents of TinyGrafixBench: five chart types with four tasks each, numbering, seeds, averages."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from editscope.cases import Aggregation, Group

CHARTS: dict[str, dict[str, str]] = {
    "bar_chart": {
        "add_bar": "construction",
        "sort_bars": "transformation",
        "remove_bar": "removal",
        "recolor_bar": "recoloring",
    },
    "scatter_plot": {
        "draw_best_fit_line": "construction",
        "swap_axes": "transformation",
        "remove_outlier": "removal",
        "recolor_class": "recoloring",
    },
    "line_chart": {
        "draw_segments": "construction",
        "normalize_series": "transformation",
        "filter_series": "removal",
        "shade_interval": "recoloring",
    },
    "heatmap": {
        "add_cell": "construction",
        "shift_heatmap": "transformation",
        "mask_cells": "removal",
        "change_colormap": "recoloring",
    },
    "network": {
        "add_node": "construction",
        "swap_nodes": "transformation",
        "remove_node": "removal",
        "recolor_node": "recoloring",
    },
}
"""Chart types, their tasks, and the editing operation of each task."""
OPERATIONS = ("construction", "transformation", "removal", "recoloring")
TASKS: tuple[str, ...] = tuple(task for tasks in CHARTS.values() for task in tasks)
PER_TASK = 30


def seed_of(namespace: str, chart: str, task: str, slot: int) -> int:
    """The seed of a problem: the first 12 hex digits of a SHA-256.

    >>> seed_of("tinygrafixbench", "bar_chart", "add_bar", 0)
    45330089335502
    """
    return int(sha256(f"{namespace}|{chart}|{task}|{slot}".encode()).hexdigest()[:12], 16)


def folder_tags(folder: str, mode: str = "default") -> dict[str, str]:
    """Chart, task and operation of a folder ``<chart>_<task>``.

    >>> folder_tags("bar_chart_add_bar")["operation"]
    'construction'
    """
    for chart, tasks in CHARTS.items():
        task = folder.removeprefix(f"{chart}_")
        if task in tasks:
            return {"chart": chart, "task": folder, "operation": tasks[task], "mode": mode}
    return {"chart": folder, "task": folder, "operation": folder, "mode": mode}


AGGREGATION = Aggregation(
    overall=Group("overall", (), ("task", "chart")),
    groups=(
        Group("chart", ("chart",), ("task",)),
        Group("task", ("task",)),
        Group("operation", ("operation",), ("task",)),
    ),
    strata=("task",),
    resampling="release",
    orders={
        "chart": tuple(CHARTS),
        "task": tuple(f"{chart}_{task}" for chart, tasks in CHARTS.items() for task in tasks),
        "operation": OPERATIONS,
    },
)


def aggregation(strata: str) -> Aggregation:
    """How tables average, with intervals as the release or as the paper makes them.

    Every task has one mode, so both resample within tasks and give the same intervals.

    >>> aggregation("release").strata == aggregation("paper").strata
    True
    """
    return replace(AGGREGATION, resampling=strata)
