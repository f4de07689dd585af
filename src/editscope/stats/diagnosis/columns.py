"""The columns of a run's rows as arrays, and which of its cases take part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from editscope.stats.frame import column, column_names
from editscope.stats.hierarchy import Floats

if TYPE_CHECKING:
    from editscope.stats.frame import Rows

TOLERANCES = 11
"""ΔE 0 … 10: the length of a curve."""


def has_column(rows: Rows, name: str) -> bool:
    """Whether the rows have such a column."""
    return name in column_names(rows)


def numbers(rows: Rows, name: str) -> Floats:
    """A column of numbers; NaN where a case has none."""
    values = np.array([np.nan if value is None else value for value in column(rows, name)], dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def curves(rows: Rows, name: str) -> Floats:
    """A column of eleven numbers per case: cases × 11; NaN where a case has none."""
    nothing = [np.nan] * TOLERANCES
    entries = [nothing if curve is None else curve for curve in column(rows, name)]
    return np.array(entries, dtype=np.float64).reshape(len(entries), TOLERANCES)


def has_output(rows: Rows) -> NDArray[np.bool_]:
    """Whether each case has an edit that somebody could look at."""
    return np.array([status == "ok" for status in column(rows, "status")], dtype=np.bool_)


def taking_part(rows: Rows, exclude: Mapping[str, str] | None) -> NDArray[np.bool_]:
    """Whether each case counts: it is not a diagnostic, which is a case that has all tags of ``exclude``."""
    n = len(column(rows, "case_id"))
    if not exclude or not all(has_column(rows, tag) for tag in exclude):
        return np.ones(n, dtype=np.bool_)
    matches = np.ones(n, dtype=np.bool_)
    for tag, value in exclude.items():
        matches &= np.array([tag_value == value for tag_value in column(rows, tag)], dtype=np.bool_)
    return ~matches


def keys_of(rows: Rows, by: Sequence[str]) -> list[tuple[str, ...]]:
    """For each case its values of the tags ``by``; a tag that it does not have is empty."""
    tags = [["" if value is None else str(value) for value in column(rows, tag)] for tag in by]
    return list(zip(*tags, strict=True)) if tags else [()] * len(column(rows, "case_id"))


def in_order(
    keys: Iterable[tuple[str, ...]], by: Sequence[str], orders: Mapping[str, Sequence[str]] | None
) -> list[tuple[str, ...]]:
    """Different keys as a suite orders them, tag by tag; those it does not name follow as they come."""
    distinct = list(dict.fromkeys(keys))
    ranks = [
        {
            value: i
            for i, value in enumerate(dict.fromkeys([*(orders or {}).get(tag, ()), *(key[k] for key in distinct)]))
        }
        for k, tag in enumerate(by)
    ]
    return sorted(distinct, key=lambda key: [rank[value] for rank, value in zip(ranks, key, strict=True)])
