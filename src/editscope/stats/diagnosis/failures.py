"""Shares of failure modes by task, condition or any other tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from editscope.stats.diagnosis.columns import in_order, keys_of, taking_part
from editscope.stats.frame import column

if TYPE_CHECKING:
    from editscope.stats.frame import Rows

MODES = (
    "success",
    "color_imprecision",
    "structural_imprecision",
    "structural_catastrophe",
    "execution_omission",
    "no_output",
)
"""In the order in which shares are shown: from right, over nearly right, to nothing at all."""


@dataclass(frozen=True, slots=True)
class Shares:
    """How ``n`` cases with the tags ``key`` came out: the fraction of each mode, zeros included; they sum to 1."""

    key: tuple[str, ...]
    n: int
    shares: Mapping[str, float]


def failure_shares(
    rows: Rows,
    by: Sequence[str] = ("task",),
    exclude: Mapping[str, str] | None = None,
    *,
    orders: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Shares, ...]:
    """The fraction of cases with each failure mode, for every value of the tags ``by`` (none: all cases).

    Diagnostic cases, which have the tags ``exclude``, stay out, unless there are no others. Rows come as
    ``orders`` says (``aggregation.orders``), then as the cases come.

    >>> rows = {
    ...     "case_id": ["1", "2", "3"],
    ...     "task": ["border", "border", "removal"],
    ...     "failure": ["success", "execution_omission", "no_output"],
    ... }
    >>> [(s.key, s.n, {mode: x for mode, x in s.shares.items() if x}) for s in failure_shares(rows)]
    [(('border',), 2, {'success': 0.5, 'execution_omission': 0.5}), (('removal',), 1, {'no_output': 1.0})]
    """
    failures = [str(failure) for failure in column(rows, "failure")]
    part = taking_part(rows, exclude)
    chosen = np.flatnonzero(part if part.any() else ~part).tolist()
    keys = keys_of(rows, by)
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for i in chosen:
        counts.setdefault(keys[i], Counter())[failures[i]] += 1
    others = sorted({failures[i] for i in chosen} - set(MODES))
    shares = []
    for key in in_order(counts, by, orders):
        n = counts[key].total()
        shares.append(Shares(key, n, {mode: counts[key][mode] / n for mode in (*MODES, *others)}))
    return tuple(shares)
