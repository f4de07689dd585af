"""PaintBench as its paper prints it: Tables 1 and 2, 13, 15 and 16 to 21."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from editscope.suites.tables import OVERALL, GroupFigures, PaperRow, PaperTable
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


def tables(board: GroupFigures) -> Iterator[PaperTable]:
    """Tables 1 and 2, 13, 15, 16 to 18 and 19 to 21 of the paper, then the preservation split."""
    headline = board.headline
    yield tasks_table(board, "category", headline, f"Table 1 {PAPER}")
    if len(board.keys("condition")) > 1:
        yield _conditions(board, headline)
    yield averages_table(board, "category", headline, f"Table 13 {PAPER}")
    for metric in board.metrics:
        yield _modes(board, metric)
    if len(board.keys("condition")) > 1:
        for metric in board.metrics:
            yield flat_table(
                board, "condition", metric, name=f"conditions-{metric}", source=source_of(19, metric, "15 and")
            )
    yield from diagnostics(board)


def _modes(board: GroupFigures, metric: str) -> PaperTable:
    """Task-modes under their category; a task without modes is one row."""
    rows: list[PaperRow] = []
    modes = board.inside("task", "mode")
    for key, tasks in board.inside("category", "task").items():
        rows.append(PaperRow("head", plain(key), board.tags("category", key)))
        rows.append(board.row("average", "Category average", "category", key, metric))
        for task in tasks:
            for mode in modes.get(task, ()):
                label = plain(task)
                if mode.rsplit("/", 1)[-1] != "default":
                    label = f"{label}, {short_label(mode, task).lower()}"
                rows.append(board.row("row", label, "mode", mode, metric, 1))
    rows.append(board.row("overall", "Benchmark", *OVERALL, metric))
    title = f"{metric_title(metric)} by task and mode"
    return metric_table(
        board, f"modes-{metric}", title, f"{title}.", rows, metric, source_of(16, metric), "Task and mode"
    )


def _conditions(board: GroupFigures, metric: str) -> PaperTable:
    """The baseline as it is, every other condition as a difference from it."""
    there = board.keys("condition")
    if BASELINE not in there:
        return flat_table(board, "condition", metric)
    rows = [board.row("average", "Baseline", "condition", BASELINE, metric)]
    known = {name for names in SCENES.values() for name in names}
    scenes = {**SCENES, "Other conditions": tuple(key for key in there if key not in known and key != BASELINE)}
    for heading, names in scenes.items():
        found = [name for name in names if name in there]
        if found:
            rows.append(PaperRow("head", heading))
            rows += [board.differences(plain(name), "condition", name, BASELINE, metric) for name in found]
    title = f"Change of {metric_title(metric)} with the scene"
    what = (
        f"{metric_title(metric)} of the baseline scenes, and the difference from it when one thing changes; "
        "all figures are means over tasks."
    )
    return metric_table(board, "conditions", title, what, rows, metric, f"Table 2 {PAPER}", "Condition")


def source_of(first: int, metric: str, before: str = "") -> str:
    """Which table of a series of three a metric has."""
    if metric not in NUMBERS:
        return ""
    number = first + NUMBERS[metric]
    return f"Tables {before} {number} {PAPER}" if before and metric == "miou" else f"Table {number} {PAPER}"
