"""Rows of a run with the labels of people beside the judge's scores, and which mean of a table they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from editscope.errors import BadInput
from editscope.stats.calibration.influence import LabeledRows
from editscope.stats.calibration.sampling import sampling_flaw
from editscope.stats.frame import UNIT, Frame, Rows
from editscope.stats.hierarchy import Ints, weights

if TYPE_CHECKING:
    from editscope.cases import Aggregation

HUMAN, SETTLED = " human", " settled"  # columns beside the tags; no tag starts with a space
LEAST_LABELED = 30
"""Labeled cases that an interval needs: with fewer, the judge's error is a guess."""
LEAST_IN_STRATUM = 5
"""Labeled cases that every stratum needs for labels to count by stratum."""


def labeled_rows(rows: Rows, aggregation: Aggregation, metric: str) -> LabeledRows:
    """The rows of the overall mean; BadInput where labels are too few, or no random part of the cases.

    ``rows`` have, beside tags and metric, the columns ``HUMAN`` (a fraction as the metric is, None where nobody
    labeled) and ``SETTLED`` (1 where no judgement was needed).
    """
    frame = Frame.of(rows, aggregation, [metric, HUMAN, SETTLED], UNIT)
    table = frame.unfolded(aggregation.overall)
    weight = weights(table.hierarchy, np.isfinite(frame.values[:, 0]))
    used = weight > 0
    judged, human, settled = frame.values[used].T
    units = frame.units or list(range(len(used)))
    case, names = _numbered([unit for unit, u in zip(units, used, strict=True) if u])
    tags = {tag: [v for v, u in zip(values, used, strict=True) if u] for tag, values in frame.tags.items()}
    made = LabeledRows(
        names=names,
        judged=judged,
        human=human,
        weight=weight[used],
        case=case,
        stratum=_numbered_by(tags, aggregation.strata, len(case)),
        node=_mixing_node(table.hierarchy.leaf[used], table.hierarchy.parents, case),
        label_stratum=np.zeros(len(case), dtype=np.intp),
        settled=settled > 0,
    )
    _check_number(made)
    made = replace(made, label_stratum=_label_strata(made, tags, aggregation.strata))
    flaw = sampling_flaw(made, {tag: values for tag, values in tags.items() if tag != UNIT})
    if flaw:
        raise BadInput(flaw)
    return made


def _check_number(rows: LabeledRows) -> None:
    found = rows.labeled_cases
    if found < LEAST_LABELED:
        raise BadInput(
            f"people labeled {found} case{'' if found == 1 else 's'} that a judge scored, and an interval that holds "
            f"the judge's error needs at least {LEAST_LABELED}; label more, chosen at random"
        )


def _label_strata(rows: LabeledRows, tags: Mapping[str, Sequence[object]], strata: Sequence[str]) -> Ints:
    """Labels count by the finest strata in which every one has enough: then they may be denser in some."""
    for chosen in (tuple(strata), *((tag,) for tag in strata)):
        if not chosen:
            continue
        number = _numbered_by(tags, chosen, len(rows.case))
        wanted = np.unique(number[~rows.settled])
        labeled = [len(np.unique(rows.case[rows.labeled & (number == stratum)])) for stratum in wanted]
        if min(labeled, default=0) >= LEAST_IN_STRATUM:
            return number
    return np.zeros(len(rows.case), dtype=np.intp)


def _numbered_by(tags: Mapping[str, Sequence[object]], names: Sequence[str], n: int) -> Ints:
    if not names:
        return np.zeros(n, dtype=np.intp)
    return _numbered(list(zip(*(tags[name] for name in names), strict=True)))[0]


def _numbered(names: Sequence[object]) -> tuple[Ints, tuple[object, ...]]:
    """Each name as a number, in the order in which names first appear, and the names in that order."""
    number: dict[object, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.intp), tuple(number)


def _mixing_node(leaf: Ints, parents: Sequence[Ints], case: Ints) -> Ints:
    """The node in which the rows of a case are first averaged with those of others."""
    node = leaf
    for above in parents:
        pairs = np.unique(np.stack([node, case]), axis=1)
        if np.bincount(pairs[0]).max(initial=0) > 1:
            break
        node = above[node]
    return node
