"""From the scores of cases to the rows of a suite's tables: mean, 95 % interval and number of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from editscope.errors import EditscopeError
from editscope.stats.bootstrap import (
    RESAMPLES,
    Floats,
    Hierarchy,
    hierarchical_bootstrap,
    percentile_interval,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from editscope.cases import Aggregation, Group


Rows: TypeAlias = "pa.Table | Mapping[str, Sequence[Any]]"
"""One entry per case in every column."""

DIAGNOSTIC = "diagnostic"
"""The group name of cases that stay out of every average."""


def summarize(
    rows: Rows,
    aggregation: Aggregation,
    metrics: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """Every row of every table of a suite, from one set of bootstrap resamples.

    ``rows`` has one entry per case: a column for each tag that ``aggregation`` names, and one for each
    metric with fractions (None or NaN: no value). The result is in percent, except for metrics whose name
    ends in ``_ratio``, which stay as they are. ``n`` counts the cases that have a value; a row without any
    has None for mean, lo and hi; with ``resamples=0`` there are means and no intervals. Cases that match
    ``aggregation.exclude`` are averaged on their own, under the group ``diagnostic``. With a column
    ``case_id`` the result does not depend on the order of rows, and runs over the same cases share their
    resamples.

    >>> from editscope.cases import Aggregation, Group
    >>> plan = Aggregation(Group("overall", (), ("task",)), (Group("task", ("task",)),), strata=("task",))
    >>> rows = {"task": ["border", "border", "removal"], "miou": [0.0, 1.0, 0.25]}
    >>> result = summarize(rows, plan, ["miou"])
    >>> result["overall"]["miou"]  # the mean of two task means
    {'mean': 37.5, 'lo': 12.5, 'hi': 62.5, 'n': 3}
    >>> result["groups"][1]
    {'by': 'task', 'key': 'removal', 'metric': 'miou', 'mean': 25.0, 'lo': 25.0, 'hi': 25.0, 'n': 1}
    """
    frame = _Frame(rows, aggregation, metrics)
    tables = [frame.table(aggregation.overall), *(frame.table(group) for group in aggregation.groups)]
    names = [group.name for group in aggregation.groups]
    if any(frame.excluded):
        tables.append(frame.diagnostics())
        names.append(DIAGNOSTIC)
    means, samples = hierarchical_bootstrap(
        frame.values, frame.strata, [hierarchy for _, hierarchy in tables], resamples=resamples, seed=seed
    )
    cells = [
        _cells(mean, sample, frame.values, hierarchy, metrics)
        for mean, sample, (_, hierarchy) in zip(means, samples, tables, strict=True)
    ]
    nothing = {metric: dict[str, Any](mean=None, lo=None, hi=None, n=0) for metric in metrics}
    return {
        "overall": cells[0][0] if cells[0] else nothing,
        "groups": [
            {"by": name, "key": key, "metric": metric, **cell}
            for name, (keys, _), table in zip(names, tables[1:], cells[1:], strict=True)
            for key, row in zip(keys, table, strict=True)
            for metric, cell in row.items()
        ],
    }


def percent_scale(metric: str) -> float:
    """What a fraction is multiplied by before it is shown: 100, or 1 for a ratio that has no upper bound.

    >>> percent_scale("miou"), percent_scale("over_edit_ratio")
    (100.0, 1.0)
    """
    return 1.0 if metric.endswith("_ratio") else 100.0


class _Frame:
    """The columns that a summary needs, in an order that does not depend on how they came."""

    def __init__(self, rows: Rows, aggregation: Aggregation, metrics: Sequence[str]) -> None:
        groups = (aggregation.overall, *aggregation.groups)
        used = [tag for group in groups for tag in (*group.by, *group.over)]
        tags = {tag: _column(rows, tag) for tag in (*used, *aggregation.strata, *aggregation.exclude)}
        values = [_column(rows, metric) for metric in metrics]
        self.exclude = aggregation.exclude
        self.ranks = {tag: _ranks(column, aggregation.orders.get(tag, ())) for tag, column in tags.items()}
        if "case_id" in _names(rows):
            ids = [str(case_id) for case_id in _column(rows, "case_id")]
            order = sorted(range(len(ids)), key=ids.__getitem__)
            tags = {tag: [column[i] for i in order] for tag, column in tags.items()}
            values = [[column[i] for i in order] for column in values]
        self.tags = tags
        self.values = _matrix(values)
        self.strata = ["/".join(map(str, case)) for case in self._cases(aggregation.strata)]
        diagnostic = tuple(aggregation.exclude.values())
        self.excluded = [bool(diagnostic) and case == diagnostic for case in self._cases(tuple(self.exclude))]

    def table(self, group: Group) -> tuple[list[str], Hierarchy]:
        """The keys of a group's rows, and the hierarchy whose last level is those rows."""
        return self._hierarchy(group.by, group.over, [not out for out in self.excluded])

    def diagnostics(self) -> tuple[list[str], Hierarchy]:
        """The one row of the cases that stay out of every average."""
        return self._hierarchy(tuple(self.exclude), (), self.excluded)

    def _cases(self, tags: Sequence[str]) -> list[tuple[Any, ...]]:
        return [tuple(self.tags[tag][i] for tag in tags) for i in range(len(self.values))]

    def _hierarchy(
        self, by: tuple[str, ...], over: tuple[str, ...], used: Sequence[bool]
    ) -> tuple[list[str], Hierarchy]:
        """Number the nodes of every level; a node is its values of ``by`` and of what is left of ``over``."""
        cases = self._cases(by + over)
        used = [u and None not in case[: len(by)] for u, case in zip(used, cases, strict=True)]
        nodes = self._ordered({case for case, u in zip(cases, used, strict=True) if u}, by + over)
        number = {node: i for i, node in enumerate(nodes)}
        leaf = [number[case] if u else -1 for case, u in zip(cases, used, strict=True)]
        parents = []
        for level in range(1, len(over) + 1):
            above = [node[: len(by)] + node[len(by) + 1 :] for node in nodes]
            nodes = self._ordered(set(above), by + over[level:])
            number = {node: i for i, node in enumerate(nodes)}
            parents.append(np.array([number[node] for node in above], dtype=np.intp))
        keys = ["/".join(map(str, node)) for node in nodes]
        return keys, Hierarchy(np.array(leaf, dtype=np.intp), tuple(parents))

    def _ordered(self, nodes: set[tuple[Any, ...]], tags: tuple[str, ...]) -> list[tuple[Any, ...]]:
        ranks = [self.ranks[tag] for tag in tags]
        return sorted(nodes, key=lambda node: [rank[value] for rank, value in zip(ranks, node, strict=True)])


def _names(rows: Rows) -> Sequence[str]:
    return list(rows) if isinstance(rows, Mapping) else rows.column_names


def _column(rows: Rows, name: str) -> list[Any]:
    if name not in _names(rows):
        raise EditscopeError(f"the scores have no column {name!r}, which the suite's tables need")
    return list(rows[name]) if isinstance(rows, Mapping) else rows.column(name).to_pylist()


def _ranks(column: Sequence[Any], order: Sequence[str]) -> dict[Any, int]:
    """The place of each value in the tables: as the suite orders them, then as they come."""
    return {value: i for i, value in enumerate(dict.fromkeys([*order, *column]))}


def _matrix(columns: Sequence[Sequence[float | None]]) -> Floats:
    """Cases × metrics; NaN stands for no value, and infinities are no value either."""
    matrix = np.array(
        [[np.nan if value is None else value for value in column] for column in columns], dtype=np.float64
    ).T
    return np.where(np.isfinite(matrix), matrix, np.nan)


def _cells(
    means: Floats, samples: Floats, values: Floats, hierarchy: Hierarchy, metrics: Sequence[str]
) -> list[dict[str, dict[str, Any]]]:
    """Each row of a table as ``{metric: {"mean", "lo", "hi", "n"}}``."""
    rows = len(means)
    sides = percentile_interval(samples.reshape(rows * len(metrics), samples.shape[2]))
    low, high = (side.reshape(rows, len(metrics)) for side in sides)
    node = hierarchy.leaf
    for parents in hierarchy.parents:
        node = np.append(parents, -1)[node]  # -1, a case that takes no part, stays -1
    return [
        {
            metric: {
                "mean": _shown(means[row, column], metric),
                "lo": _shown(low[row, column], metric),
                "hi": _shown(high[row, column], metric),
                "n": int(np.isfinite(values[node == row, column]).sum()),
            }
            for column, metric in enumerate(metrics)
        }
        for row in range(rows)
    ]


def _shown(value: float, metric: str) -> float | None:
    # Nine decimals are more than any table shows and hide the last bits of the division above.
    return None if np.isnan(value) else round(float(value) * percent_scale(metric), 9)
