"""The columns that a table of means needs, and how a suite's aggregation numbers the rows of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from editscope.errors import EditscopeError
from editscope.stats.bootstrap import hierarchical_bootstrap
from editscope.stats.hierarchy import Floats, Hierarchy

if TYPE_CHECKING:
    import pyarrow as pa

    from editscope.cases import Aggregation, Group


Rows: TypeAlias = "pa.Table | Mapping[str, Sequence[Any]]"
"""One entry per case in every column, or several entries that share a ``case_id``."""

OVERALL = "overall"
DIAGNOSTIC = "diagnostic"
"""The group name of cases that stay out of every average."""
UNIT = "case_id"
"""What is drawn, where an aggregation has no unit of its own: a case, with all its rows."""


@dataclass(frozen=True, eq=False)
class MeanTable:
    """The rows of one kind: ``keys[j]`` is row ``j`` of the last level of ``hierarchy``, over the rows of ``frame``."""

    name: str
    keys: tuple[str, ...]
    hierarchy: Hierarchy
    frame: Frame


@dataclass(frozen=True, eq=False)
class Frame:
    """Columns in an order that does not depend on how they came."""

    tags: Mapping[str, list[Any]]
    values: Floats
    ranks: Mapping[str, Mapping[Any, int]]
    strata_tags: tuple[str, ...]
    exclude: Mapping[str, str]
    unit: str | None

    @classmethod
    def of(cls, rows: Rows, aggregation: Aggregation, metrics: Sequence[str], unit: str | None = UNIT) -> Frame:
        """The columns of some metrics, with the tags that the aggregation names; rows of one ``unit`` belong together.

        A ``unit`` that is not a column of the rows means that every row is a unit.
        """
        names = column_names(rows)
        unit = aggregation.unit or unit if unit == UNIT else unit
        unit = unit if unit in names else None
        tags = {tag: column(rows, tag) for tag in (*aggregation.tags, *([unit] if unit else []))}
        values = [column(rows, metric) for metric in metrics]
        ranks = {tag: _ranks(tags[tag], aggregation.orders.get(tag, ())) for tag in tags}
        if "case_id" in names:
            ids = [str(case_id) for case_id in column(rows, "case_id")]
            order = sorted(range(len(ids)), key=ids.__getitem__)
            tags = {tag: [entries[i] for i in order] for tag, entries in tags.items()}
            values = [[entries[i] for i in order] for entries in values]
        return cls(tags, _matrix(values), ranks, aggregation.strata, aggregation.exclude, unit)

    @property
    def strata(self) -> list[str]:
        """The name of each row's stratum."""
        return ["/".join(map(str, case)) for case in self._cases(self.strata_tags)]

    @property
    def units(self) -> list[Any] | None:
        """The unit of each row, or None where each row is one."""
        return self.tags[self.unit] if self.unit else None

    @property
    def excluded(self) -> list[bool]:
        """Which rows are diagnostics that stay out of every average."""
        diagnostic = tuple(self.exclude.values())
        return [bool(diagnostic) and case == diagnostic for case in self._cases(tuple(self.exclude))]

    def table(self, group: Group) -> MeanTable:
        """The rows of a group, resampled within the group's own strata where it has some.

        A group that averages over the unit is of rows that are folded to one per unit.
        """
        if group.strata not in (None, self.strata_tags):
            return replace(self, strata_tags=group.strata).table(group)
        if self.unit in group.over:
            at = group.over.index(self.unit)
            rest = group.over[at + 1 :]
            folded = self._folded((*group.by, *rest), group.over[:at])
            return folded._table(group.name, group.by, rest, [not out for out in folded.excluded])
        return self._table(group.name, group.by, group.over, [not out for out in self.excluded])

    def unfolded(self, group: Group) -> MeanTable:
        """The same means over the rows as they are, also where the group averages over the unit."""
        return self._table(group.name, group.by, group.over, [not out for out in self.excluded])

    def diagnostics(self) -> MeanTable:
        """The one row of the cases that stay out of every average."""
        return self._table(DIAGNOSTIC, tuple(self.exclude), (), self.excluded)

    def tables(self, aggregation: Aggregation) -> list[MeanTable]:
        """The overall row, then the rows of every group, then those of the diagnostics if there are any."""
        tables = [self.table(aggregation.overall), *(self.table(group) for group in aggregation.groups)]
        return [*tables, self.diagnostics()] if any(self.excluded) else tables

    def _table(self, name: str, by: tuple[str, ...], over: tuple[str, ...], used: Sequence[bool]) -> MeanTable:
        nobody = [None in case for case in self._cases(by)]
        used = [u and not missing for u, missing in zip(used, nobody, strict=True)]
        nodes, hierarchy = self._hierarchy(by, over, used)
        return MeanTable(name, tuple("/".join(map(str, node)) for node in nodes), hierarchy, self)

    def _folded(self, kept: Sequence[str], inner: tuple[str, ...]) -> Frame:
        """One row per unit: the mean of its rows through the levels ``inner``, with the tags that are still needed."""
        assert self.unit is not None
        tags = tuple(dict.fromkeys((*kept, *self.strata_tags, *self.exclude, self.unit)))
        nodes, hierarchy = self._hierarchy(tags, inner, [True] * len(self.values))
        (means,), _ = hierarchical_bootstrap(self.values, [""] * len(self.values), [hierarchy], resamples=0)
        columns = {tag: [node[i] for node in nodes] for i, tag in enumerate(tags)}
        return Frame(columns, means, self.ranks, self.strata_tags, self.exclude, self.unit)

    def _cases(self, tags: Sequence[str]) -> list[tuple[Any, ...]]:
        if not tags:
            return [()] * len(self.values)
        return list(zip(*(self.tags[tag] for tag in tags), strict=True))

    def _hierarchy(
        self, by: tuple[str, ...], over: tuple[str, ...], used: Sequence[bool]
    ) -> tuple[list[tuple[Any, ...]], Hierarchy]:
        """Number the nodes of every level; a node is its values of ``by`` and of what is left of ``over``."""
        cases = self._cases(by + over)
        nodes = self._ordered({case for case, u in zip(cases, used, strict=True) if u}, by + over)
        number = {node: i for i, node in enumerate(nodes)}
        leaf = [number[case] if u else -1 for case, u in zip(cases, used, strict=True)]
        parents = []
        for level in range(1, len(over) + 1):
            above = [node[: len(by)] + node[len(by) + 1 :] for node in nodes]
            nodes = self._ordered(set(above), by + over[level:])
            number = {node: i for i, node in enumerate(nodes)}
            parents.append(np.array([number[node] for node in above], dtype=np.intp))
        return nodes, Hierarchy(np.array(leaf, dtype=np.intp), tuple(parents))

    def _ordered(self, nodes: set[tuple[Any, ...]], tags: tuple[str, ...]) -> list[tuple[Any, ...]]:
        ranks = [self.ranks[tag] for tag in tags]
        return sorted(nodes, key=lambda node: [rank[value] for rank, value in zip(ranks, node, strict=True)])


def by_frame(tables: Sequence[MeanTable]) -> list[tuple[Frame, list[int]]]:
    """The frames of some tables, each with the places of its tables: one set of draws serves them all.

    Tables over the same rows and strata share their frame.
    """
    frames: dict[tuple[int, tuple[str, ...]], tuple[Frame, list[int]]] = {}
    for place, table in enumerate(tables):
        key = id(table.frame.values), table.frame.strata_tags
        frames.setdefault(key, (table.frame, []))[1].append(place)
    return list(frames.values())


def column_names(rows: Rows) -> Sequence[str]:
    """The names of the columns."""
    return list(rows) if isinstance(rows, Mapping) else rows.column_names


def column(rows: Rows, name: str) -> list[Any]:
    """One column as a list."""
    if name not in column_names(rows):
        raise EditscopeError(f"the scores have no column {name!r}, which the suite's tables need")
    return list(rows[name]) if isinstance(rows, Mapping) else rows.column(name).to_pylist()


def _ranks(entries: Sequence[Any], order: Sequence[str]) -> dict[Any, int]:
    """The place of each value in the tables: as the suite orders them, then as they come."""
    return {value: i for i, value in enumerate(dict.fromkeys([*order, *entries]))}


def _matrix(columns: Sequence[Sequence[float | None]]) -> Floats:
    """Rows × metrics; NaN stands for no value, and infinities are no value either."""
    matrix = np.array(
        [[np.nan if value is None else value for value in entries] for entries in columns], dtype=np.float64
    ).T
    return np.where(np.isfinite(matrix), matrix, np.nan)
