"""PaintBench as its paper prints it: Tables 1 and 2, 13, 15 and 16 to 21."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from editscope.suites.tables import OVERALL, FiguresByGroup, PaperRow, PaperTable
from editscope.suites.tables.pixels import (
    averages_table,
    diagnostics,
    flat_table,
    metric_table,
    short_label,
    tasks_table,
)
from editscope.wording import metric_title, plain

PAPER = "of the PaintBench paper"
NUMBERS = MappingProxyType({"miou": 0, "edit_accuracy": 1, "preservation_accuracy": 2})
"""The place of a metric in a series of three tables."""
BASELINE = "baseline"
SCENES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Aspect ratio (baseline: square)": ("horizontal", "vertical"),
        "Color palette (baseline: standard)": ("nonstandard",),
        "Background (baseline: solid)": ("striped",),
        "Object count (baseline: 3 for most tasks)": ("n_med", "n_high", "n_xhigh"),
    }
)
"""What each condition changes, in the order of Table 2."""


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """Tables 1 and 2, 13, 15, 16 to 18 and 19 to 21 of the paper, then the preservation split."""
    headline = groups.headline
    yield tasks_table(groups, "category", headline, f"Table 1 {PAPER}")
    if len(groups.keys("condition")) > 1:
        yield _conditions(groups, headline)
    yield averages_table(groups, "category", headline, f"Table 13 {PAPER}")
    for metric in groups.metrics:
        yield _modes(groups, metric)
    if len(groups.keys("condition")) > 1:
        for metric in groups.metrics:
            yield flat_table(
                groups, "condition", metric, name=f"conditions-{metric}", source=source_of(19, metric, "15 and")
            )
    yield from diagnostics(groups)


def _modes(groups: FiguresByGroup, metric: str) -> PaperTable:
    """Task-modes under their category; a task without modes is one row."""
    rows: list[PaperRow] = []
    modes = groups.inside("task", "mode")
    for key, tasks in groups.inside("category", "task").items():
        rows.append(PaperRow("head", plain(key), groups.tags("category", key)))
        rows.append(groups.row("average", "Category average", "category", key, metric))
        for task in tasks:
            for mode in modes.get(task, ()):
                label = plain(task)
                if mode.rsplit("/", 1)[-1] != "default":
                    label = f"{label}, {short_label(mode, task).lower()}"
                rows.append(groups.row("row", label, "mode", mode, metric, 1))
    rows.append(groups.row("overall", "Benchmark", *OVERALL, metric))
    title = f"{metric_title(metric)} by task and mode"
    return metric_table(
        groups, f"modes-{metric}", title, f"{title}.", rows, metric, source_of(16, metric), "Task and mode"
    )


def _conditions(groups: FiguresByGroup, metric: str) -> PaperTable:
    """The baseline as it is, every other condition as a difference from it."""
    there = groups.keys("condition")
    if BASELINE not in there:
        return flat_table(groups, "condition", metric)
    rows = [groups.row("average", "Baseline", "condition", BASELINE, metric)]
    known = {name for names in SCENES.values() for name in names}
    scenes = {**SCENES, "Other conditions": tuple(key for key in there if key not in known and key != BASELINE)}
    for heading, names in scenes.items():
        conditions = [name for name in names if name in there]
        if conditions:
            rows.append(PaperRow("head", heading))
            rows += [groups.differences(plain(name), "condition", name, BASELINE, metric) for name in conditions]
    title = f"Change of {metric_title(metric)} with the scene"
    what = (
        f"{metric_title(metric)} of the baseline scenes, and the difference from it when one thing changes; "
        "all figures are means over tasks."
    )
    return metric_table(groups, "conditions", title, what, rows, metric, f"Table 2 {PAPER}", "Condition")


def source_of(first: int, metric: str, before: str = "") -> str:
    """Which table of a series of three a metric has."""
    if metric not in NUMBERS:
        return ""
    number = first + NUMBERS[metric]
    return f"Tables {before} {number} {PAPER}" if before and metric == "miou" else f"Table {number} {PAPER}"
