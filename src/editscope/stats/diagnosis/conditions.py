"""Effects of the scene on a model: differences from the baseline condition, and the gap between palettes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from editscope.stats.diagnosis.averages import RESAMPLES, Interval, average, group_for
from editscope.stats.diagnosis.columns import curves, has_column, numbers
from editscope.stats.frame import column
from editscope.stats.summary import percent_scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from editscope.cases import Aggregation
    from editscope.stats.frame import Rows

STANDARD, NONSTANDARD = "baseline", "nonstandard"


@dataclass(frozen=True, slots=True)
class Delta:
    """One condition: its mean, and how far that is above the baseline's, with the interval of the difference."""

    value: str
    mean: float
    difference: float
    lo: float | None
    hi: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Gap:
    """An accuracy at exact match in percent: with standard colors, with nonstandard ones, and their difference."""

    standard: Interval
    nonstandard: Interval
    difference: Interval


@dataclass(frozen=True, slots=True)
class PaletteGap:
    """Exact-match (ΔE = 0) accuracies of the edit and the preserved region under the two palettes."""

    edit: Gap
    preservation: Gap
    n_standard: int
    n_nonstandard: int


def deltas(
    rows: Rows,
    aggregation: Aggregation,
    metric: str,
    tag: str = "condition",
    baseline: str = "baseline",
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Delta, ...]:
    """How each value of ``tag`` compares with ``baseline``, in percent (ratios as they are).

    difference = mean(value) - mean(baseline), each through the suite's own averages. Other conditions are
    other problems, so this is not a paired difference: the interval comes from resampling problems within the
    suite's strata, as in its tables. The baseline itself comes first, with difference 0. Nothing where the
    rows have no such tag or no baseline.

    >>> from editscope.cases import Group, Aggregation
    >>> plan = Aggregation(Group("overall", (), ("task",)), (Group("condition", ("condition",), ("task",)),), ("task",))
    >>> rows = {
    ...     "case_id": ["1", "2", "3", "4"],
    ...     "task": ["border", "border", "removal", "removal"],
    ...     "condition": ["baseline", "striped"] * 2,
    ...     "miou": [0.5, 0.25, 0.9, 0.85],
    ... }
    >>> [(delta.value, delta.mean, delta.difference) for delta in deltas(rows, plan, "miou")]
    [('baseline', 70.0, 0.0), ('striped', 55.0, -15.0)]
    """
    if not has_column(rows, tag) or baseline not in column(rows, tag):
        return ()
    table = average(
        rows,
        aggregation,
        group_for(aggregation, (tag,)),
        numbers(rows, metric)[:, None],
        resamples=resamples,
        seed=seed,
    )
    places = {key[0]: row for row, key in enumerate(table.keys)}
    if baseline not in places:
        return ()
    first = places.pop(baseline)
    scale = percent_scale(metric)
    compared = []
    for value, row in ((baseline, first), *places.items()):
        mean = round(float(table.means[row, 0]) * scale, 9)
        apart = table.difference(row, first, 0, scale)
        if not np.isnan(mean):
            compared.append(Delta(value, mean, apart.mean, apart.lo, apart.hi, table.n[row]))
    return tuple(compared)


def palette_gap(
    rows: Rows, aggregation: Aggregation, *, resamples: int = RESAMPLES, seed: int = 0
) -> PaletteGap | None:
    """Edit and preservation accuracy at tolerance 0 under the standard and the nonstandard palette.

    Only the conditions ``baseline`` and ``nonstandard`` are compared, which differ in nothing else; None where
    one of them is missing. A gap at exact match under an even mIoU says that a model knows the usual colors
    and guesses the others.
    """
    if not has_column(rows, "condition"):
        return None
    conditions = column(rows, "condition")
    chosen = [i for i, condition in enumerate(conditions) if condition in (STANDARD, NONSTANDARD)]
    few = _part(rows, chosen, {"case_id", "condition", *_tags(aggregation)})
    exact = [curves(rows, name)[chosen, 0] for name in ("edit_accuracy_curve", "preservation_accuracy_curve")]
    group = group_for(aggregation, ("condition",))
    table = average(few, aggregation, group, np.stack(exact, axis=1), resamples=resamples, seed=seed)
    places = {key[0]: row for row, key in enumerate(table.keys)}
    if len(places) < 2:
        return None
    a, b = places[STANDARD], places[NONSTANDARD]
    edit, preservation = (Gap(table.interval(a, v), table.interval(b, v), table.difference(b, a, v)) for v in (0, 1))
    return PaletteGap(edit, preservation, table.n[a], table.n[b])


def _tags(aggregation: Aggregation) -> set[str]:
    group = group_for(aggregation, ("condition",))
    return {*replace(aggregation, overall=group, groups=()).tags}


def _part(rows: Rows, chosen: Sequence[int], names: set[str]) -> Mapping[str, Sequence[Any]]:
    """Some columns of some cases."""
    columns = {}
    for name in sorted(names):
        if has_column(rows, name):
            values = column(rows, name)
            columns[name] = [values[i] for i in chosen]
    return columns
