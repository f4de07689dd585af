"""Accounting of released tools: what each makes of a call that failed and of an edit that is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Accounting = Literal["ours", "released"]
ACCOUNTINGS: tuple[Accounting, ...] = ("ours", "released")

Row: TypeAlias = Mapping[str, Any]
"""A row of a score line: ``metric``, ``value``, and ``key``, which is empty where no call gave the number."""

OURS = {
    "failed": "no number: left out of the means, counted, and the mean gets bounds",
    "missing": "the worst score",
}
FAILED = {
    "skipped": "left out of the means, as we do",
    "unscored": "every score of the case left out of the means; the case counts as not accurate",
    "case": "the case left out in all its languages",
    "wrong": "a wrong answer",
}
MISSING = {
    "stops": "the tool stops, so we count it our way: the worst score",
    "skipped": "the case left out",
    "case": "the case left out in all its languages",
    "white": "a white picture judged in its place; consistency leaves the case out",
}
"""What the rules say, as documentation and reports print them."""


@dataclass(frozen=True, slots=True)
class Release:
    """The rules of one released tool, each by its name in ``FAILED`` and ``MISSING``."""

    title: str
    failed: str
    missing: str


@dataclass(frozen=True, slots=True)
class UnitRows:
    """One unit of a case: its rows, the status of its edit where there is none, and the rows that a judge's answers
    about a white picture give, where it was asked about one."""

    rows: Sequence[Row]
    missing: str | None = None
    white: Sequence[Row] | None = None


def released(release: Release, units: Sequence[UnitRows]) -> list[list[Row] | None]:
    """The rows of all units of a case as the released tool counts them; none for a unit that nobody can count yet.

    >>> rows = [{"metric": "reasoning", "key": "reasoning", "value": None}, {"metric": "accuracy", "value": None}]
    >>> released(Release("RISEBench", "unscored", "stops"), [UnitRows(rows)])[0][1]
    {'metric': 'accuracy', 'value': 0.0}
    """
    if "case" in (release.failed, release.missing):
        if any(unit.missing for unit in units):
            return [[left_out(row) for row in unit.rows] for unit in units]
        if any(_failed(unit.rows) for unit in units):
            return [[_unscored(row) for row in unit.rows] for unit in units]
    return [_unit(release, unit) for unit in units]


def left_out(row: Row) -> dict[str, Any]:
    """A row that counts nowhere, neither for a mean nor for its bounds."""
    return {**row, "value": None, "low": None, "high": None}


def _unscored(row: Row) -> dict[str, Any]:
    """A row that the released tool leaves out of a mean because of another call; what is known stays its bounds.

    >>> _unscored({"metric": "reasoning", "value": 4.0})
    {'metric': 'reasoning', 'value': None, 'low': 4.0, 'high': 4.0}
    """
    known = row["value"]
    return {**row, "value": None} if known is None else {**row, "value": None, "low": known, "high": known}


def _unit(release: Release, unit: UnitRows) -> list[Row] | None:
    if unit.missing is None:
        return _answered(release, unit.rows)
    if release.missing == "skipped":
        return [left_out(row) for row in unit.rows]
    if release.missing == "white":
        consistency = [left_out(row) for row in unit.rows if row["metric"] == "consistency"]
        return None if unit.white is None else [*_answered(release, unit.white), *consistency]
    return list(unit.rows)


def _answered(release: Release, rows: Sequence[Row]) -> list[Row]:
    """The rows of a unit that was judged, with what becomes of the calls that failed."""
    if not _failed(rows):
        return list(rows)
    if release.failed == "unscored":
        return [{**row, "value": 0.0} if row["metric"] == "accuracy" else _unscored(row) for row in rows]
    if release.failed == "wrong":
        answers = [0.0 if row["value"] is None else row["value"] for row in rows if row.get("key")]
        share = sum(answers) / len(answers)
        counted = {"accuracy": 0.0, "accuracy_by_case": share}
        return [
            {**row, "value": counted[row["metric"]]}
            if row["metric"] == "accuracy_by_case" or (row.get("key") and row["value"] is None)
            else row
            for row in rows
        ]
    return list(rows)


def _failed(rows: Sequence[Row]) -> bool:
    """Whether any call of a unit gave no number."""
    return any(row.get("key") and row["value"] is None for row in rows)
