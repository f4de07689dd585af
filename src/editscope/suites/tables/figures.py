"""Figures that tables are laid out from: runs and published models side by side, asked by group and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from editscope.cases import Group
from editscope.suites.tables.records import Column, Kind, PaperCell, PaperRow

CellsByGroup: TypeAlias = "Mapping[tuple[str, str, str], PaperCell]"
"""Cells by group name, key and metric."""

OVERALL = ("overall", "")


class FiguresByGroup(Protocol):
    """The figures of some runs of one suite, and of published models beside them; a report gives it to a layout.

    A group of cases is named by ``by`` and ``key``: the task "border", the overall row ("overall", "").
    """

    @property
    def columns(self) -> tuple[Column, ...]:
        """The runs, then published models."""

    @property
    def figures(self) -> tuple[CellsByGroup, ...]:
        """All figures of each column."""

    @property
    def suite(self) -> str:
        """The name of the suite."""

    @property
    def headline(self) -> str:
        """The metric that the suite is ranked by."""

    @property
    def all_metrics(self) -> tuple[str, ...]:
        """Every metric that a run has."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The headline metric, then the two that pixel suites have beside it."""

    @property
    def shown_groups(self) -> tuple[Group, ...]:
        """The groups that tables show, without those of one level or language."""

    @property
    def all_groups(self) -> tuple[Group, ...]:
        """Every group that the suite averages over."""

    @property
    def excluded(self) -> Mapping[str, str]:
        """The tags of cases that stay out of every average."""

    @property
    def runs(self) -> tuple[int, ...]:
        """The number of each run, as columns name them."""

    @property
    def judge(self) -> str:
        """The published judge that is the runs' own, by its name, or the main one of the paper."""

    def cells(self, by: str, key: str, metric: str) -> tuple[PaperCell | None, ...]:
        """One figure for each column."""

    def row(self, kind: Kind, label: str, by: str, key: str, metric: str, depth: int = 0) -> PaperRow:
        """A row of the table: a group of cases, one figure for each column."""

    def differences(self, label: str, by: str, key: str, base: str, metric: str) -> PaperRow:
        """A row of differences between two groups of the same table."""

    def models(self, groups: Sequence[tuple[str, str]], metric: str) -> tuple[PaperRow, ...]:
        """One row for each run and published model, with a figure for each group."""

    def keys(self, by: str) -> list[str]:
        """The rows that a group of the runs' summaries has, in the order of the tables."""

    def inside(self, outer: str, inner: str) -> dict[str, list[str]]:
        """The rows of a finer group by the row of the coarser one that their cases belong to."""

    def refines(self, inner: str, outer: str) -> bool:
        """Whether cases that share a row of the one group always share a row of the other."""

    def tags(self, by: str, key: str) -> dict[str, str]:
        """What the cases of a row have in common."""

    def caption(self, what: str, *, spread: bool = True, cases: bool = True, notes: Sequence[str] | None = None) -> str:
        """A caption: what the table shows, of which cases, how sure the figures are, and what is missing."""


def difference(cell: PaperCell | None, base: PaperCell | None) -> PaperCell | None:
    """How much larger one figure is than another, with its sign and no interval; none where either is missing."""
    if cell is None or base is None or cell.value is None or base.value is None:
        return None
    few = cell.few or base.few
    return replace(cell, value=cell.value - base.value, half_width=None, ranked=False, signed=True, few=few)
