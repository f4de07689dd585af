"""PaintBench and TinyGrafixBench as their paper prints them: Tables 1 to 3 and 13 to 24."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from editscope.report.paper_tables.any_pixel_suite import decimals_of, diagnostics, flat_table, short_label
from editscope.report.paper_tables.group_figures import OVERALL, GroupFigures
from editscope.report.paper_tables.registry import layout
from editscope.suites.tables import Column, PaperRow, PaperTable
from editscope.wording import metric_title, plain

PAPER = "of the PaintBench paper"
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
NUMBERS = MappingProxyType({"miou": 0, "edit_accuracy": 1, "preservation_accuracy": 2})
"""The place of a metric in a series of three tables."""


@layout("paintbench")
def paintbench(board: GroupFigures) -> Iterator[PaperTable]:
    """Tables 1 and 2, 13, 15, 16 to 18 and 19 to 21 of the paper, then the preservation split."""
    headline = board.sheet.headline
    yield _tasks(board, "category", headline, f"Table 1 {PAPER}")
    if len(board.keys("condition")) > 1:
        yield _conditions(board, headline)
    yield _averages(board, "category", headline, f"Table 13 {PAPER}")
    for metric in board.metrics:
        yield _modes(board, metric)
    if len(board.keys("condition")) > 1:
        for metric in board.metrics:
            yield flat_table(
                board, "condition", metric, name=f"conditions-{metric}", source=_source(19, metric, "15 and")
            )
    yield from diagnostics(board)


@layout("tinygrafix")
def tinygrafix(board: GroupFigures) -> Iterator[PaperTable]:
    """Tables 3 and 14, then 22 to 24 of the paper, which repeat the tasks for the other metrics."""
    headline = board.sheet.headline
    yield _tasks(board, "chart", headline, f"Tables 3 and 22 {PAPER}")
    yield _averages(board, "chart", headline, f"Table 14 {PAPER}")
    for metric in board.metrics:
        if metric != headline:
            yield _tasks(board, "chart", metric, _source(22, metric))
    if len(board.keys("operation")) > 1:
        yield flat_table(board, "operation", headline)
    yield from diagnostics(board)


def _tasks(board: GroupFigures, outer: str, metric: str, source: str) -> PaperTable:
    """Tasks under their category with its average, the benchmark last."""
    rows: list[PaperRow] = []
    for key, tasks in board.inside(outer, "task").items():
        rows.append(PaperRow("head", plain(key), board.tags(outer, key)))
        rows.append(board.row("average", f"{plain(outer)} average", outer, key, metric))
        rows += [board.row("row", short_label(task, key), "task", task, metric, 1) for task in tasks]
    rows.append(board.row("overall", "Benchmark", *OVERALL, metric))
    what = (
        f"{metric_title(metric)} by task. Each {plain(outer).lower()} average is the mean of its tasks, and the "
        f"benchmark is the mean of those averages."
    )
    name = "tasks" if metric == board.sheet.headline else f"tasks-{metric}"
    return _table(board, name, f"{metric_title(metric)} by task", what, rows, metric, source, "Task")


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
    return _table(board, f"modes-{metric}", title, f"{title}.", rows, metric, _source(16, metric), "Task and mode")


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
    return _table(board, "conditions", title, what, rows, metric, f"Table 2 {PAPER}", "Condition")


def _averages(board: GroupFigures, outer: str, metric: str, source: str) -> PaperTable:
    """One row for each model: the averages and the benchmark, all with half-widths."""
    groups = [(outer, key) for key in board.keys(outer)]
    columns = [Column(plain(key), filter=board.tags(outer, key)) for _, key in groups] + [Column("Benchmark")]
    title = f"{metric_title(metric)} by {plain(outer).lower()}"
    return PaperTable(
        "averages",
        title,
        board.caption(f"Averages of {metric_title(metric)} over each {plain(outer).lower()} and the benchmark."),
        tuple(columns),
        board.models([*groups, OVERALL], metric),
        metric,
        decimals_of(metric),
        source=source,
        stub="Model",
        spread=("row",),
        models="rows",
    )


def _table(
    board: GroupFigures, name: str, title: str, what: str, rows: list[PaperRow], metric: str, source: str, stub: str
) -> PaperTable:
    return PaperTable(
        name,
        title,
        board.caption(what),
        board.columns,
        tuple(rows),
        metric,
        decimals_of(metric),
        source=source,
        stub=stub,
    )


def _source(first: int, metric: str, before: str = "") -> str:
    """Which table of a series of three a metric has."""
    if metric not in NUMBERS:
        return ""
    number = first + NUMBERS[metric]
    return f"Tables {before} {number} {PAPER}" if before and metric == "miou" else f"Table {number} {PAPER}"
