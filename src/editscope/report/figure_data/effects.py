"""Recovery by effect, and the ladder of levels: what every further sentence of an instruction brings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editscope.report.model import Cell, RunView, Sheet
from editscope.wording import RECOVERY, plain

LADDER = ("superficial", "intermediate", "explicit", "located")
"""Levels from the change alone to every consequence with its place."""


@dataclass(frozen=True, eq=False)
class EffectRows:
    """Figures in rows: a label and, for each run, a cell or None."""

    title: str
    metric: str
    """A metric of the rows' scale."""
    labels: tuple[str, ...]
    cells: tuple[tuple[RunView, tuple[Cell | None, ...]], ...]


def recovery_by_effect(sheet: Sheet) -> EffectRows | None:
    """The recovery of every effect; None where there are none."""
    metrics = [metric for metric in sheet.metrics if metric.startswith(RECOVERY)]
    if not metrics:
        return None
    labels = [plain(metric.removeprefix(RECOVERY)) for metric in metrics]
    return _rows(sheet, "Recovery by effect", metrics[0], labels, lambda view, row: overall_cell(view, metrics[row]))


def ladder(sheet: Sheet) -> EffectRows | None:
    """Consequences at each level of instruction; None where there is one level alone."""
    by_run = {view.index: _levels(view) for view in sheet.runs}
    levels = [level for level in LADDER if any(level in cells for cells in by_run.values())]
    if len(levels) < 2:
        return None
    labels = [plain(level) for level in levels]
    title = "Consequences by level of instruction"
    return _rows(sheet, title, "consequences", labels, lambda view, row: by_run[view.index].get(levels[row]))


def overall_cell(view: RunView, metric: str) -> Cell | None:
    """A metric over all cases of a run; None where it has none."""
    cell: Cell | None = view.summary["overall"].get(metric)
    return None if cell is None or cell["mean"] is None else cell


def _levels(view: RunView) -> dict[str, Cell]:
    return {
        row["key"]: row
        for row in view.summary["groups"]
        if row["by"] == "level" and row["metric"] == "consequences" and row["mean"] is not None
    }


def _rows(
    sheet: Sheet, title: str, metric: str, labels: Sequence[str], cell: Callable[[RunView, int], Cell | None]
) -> EffectRows:
    cells = tuple((view, tuple(cell(view, row) for row in range(len(labels)))) for view in sheet.runs)
    return EffectRows(title, metric, tuple(labels), cells)
