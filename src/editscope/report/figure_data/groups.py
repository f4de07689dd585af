"""Means of the headline metric by row of a table, run by run: what a radar and dots with intervals show."""

from __future__ import annotations

from dataclasses import dataclass

from editscope.report.model import Cell, RunView, Sheet


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """The rows of a group in the order of the tables, and each run's cells in the same order; None for no mean."""

    by: str
    keys: tuple[str, ...]
    runs: tuple[tuple[RunView, tuple[Cell | None, ...]], ...]

    def means(self, place: int) -> list[float | None]:
        """The means of the run at that place."""
        return [None if cell is None else float(cell["mean"]) for cell in self.runs[place][1]]


def group_means(sheet: Sheet, by: str) -> GroupMeans:
    """Mean and interval of the headline metric in every row of a group, by the group's name."""
    keys = tuple(sheet.keys(by))
    runs = tuple((view, tuple(_known(view.cells(by, key).get(sheet.headline)) for key in keys)) for view in sheet.runs)
    return GroupMeans(by, keys, runs)


def overall_mean(sheet: Sheet, view: RunView) -> Cell | None:
    """Mean and interval of the headline metric over the whole set; None where there is no mean."""
    return _known(view.summary["overall"].get(sheet.headline))


def _known(cell: Cell | None) -> Cell | None:
    return cell if cell is not None and cell["mean"] is not None else None
