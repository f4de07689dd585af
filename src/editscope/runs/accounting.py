"""Accounting of a judged run: which rows of its journal count for how much, our way and as the released tool does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from editscope.runs.journal import Line, Step
from editscope.runs.repeats import plain
from editscope.scoring.rubrics.accounting import (
    FAILED,
    MISSING,
    OURS,
    RELEASES,
    Accounting,
    Release,
    Row,
    UnitRows,
    left_out,
    released,
)

Info: TypeAlias = Mapping[str, Any]

COMPLEX = "complex"
"""The task whose table WiseEdit's authors leave a model out of that cannot take all its inputs."""
UNSUPPORTED = ("zero", "skip")


@dataclass(frozen=True, eq=False)
class Counted:
    """The rows of every score line as they count, by case and unit.

    ``unknown`` counts units that the released tool scores by verdicts that this journal does not have; they stand here
    as we count them.
    """

    rows: Mapping[Step, Sequence[Row]]
    unknown: int = 0

    def same(self, other: Counted) -> bool:
        """Whether every number counts alike."""
        return all(_values(rows) == _values(other.rows[step]) for step, rows in self.rows.items())


def accounting_of(info: Info) -> Accounting:
    """How a run counts, from its run.json."""
    found: Accounting = info["judging"].get("accounting", "ours")
    return found


def other_than(accounting: Accounting) -> Accounting:
    """The other way to count."""
    return "released" if accounting == "ours" else "ours"


def release_of(info: Info) -> Release | None:
    """The rules of the released tool of a run's protocol; none where nobody released one."""
    return RELEASES.get(info["judging"]["protocol"]["name"])


def counted(info: Info, scores: Iterable[Line], accounting: Accounting | None = None) -> Counted:
    """What counts of some score lines, the way the run says or another.

    Where a release stops, and for protocols without a release, ``released`` counts as we do.
    """
    lines = list(scores)
    accounting = accounting or accounting_of(info)
    release = release_of(info) if accounting == "released" else None
    missing = info["judging"]["missing"] if accounting == accounting_of(info) else "worst"
    found: dict[Step, Sequence[Row]] = {}
    unknown = 0
    for group in _by_case(lines):
        judged = [line for line in group if line["applicable"]]
        for line in group:
            found[_step(line)] = _ours(info, line, missing)
        if release is not None and judged:
            units = [UnitRows(line["rows"], line["missing"], line.get("white")) for line in judged]
            for line, rows in zip(judged, released(release, units), strict=True):
                unknown += rows is None
                found[_step(line)] = line["rows"] if rows is None else rows
    for line in _without_a_row(info, lines):
        found[_step(line)] = [left_out(row) for row in line["rows"]]
    return Counted(found, unknown)


def unsupported_rule(info: Info) -> str:
    """What an edit counts that the editor cannot make because it takes fewer pictures: ``zero`` or ``skip``.

    >>> unsupported_rule({"judging": {"protocol": {"name": "kris", "options": {}}}})
    'skip'
    """
    protocol = info["judging"]["protocol"]
    return str(protocol["options"].get("unsupported", "zero")) if protocol["name"] == "wiseedit" else "skip"


def without_a_row(info: Info, scores: Iterable[Line]) -> int:
    """How many units of WiseEdit-Complex get no number because the editor cannot take the inputs of some."""
    return len(_without_a_row(info, list(scores)))


def rules_said(info: Info) -> dict[str, str]:
    """The rules by which a run counts, in words."""
    release = release_of(info) if accounting_of(info) == "released" else None
    if release is None:
        skipped = {"skip": "left out", "fail": "the run stops"}.get(info["judging"]["missing"], OURS["missing"])
        return {"failed_call": OURS["failed"], "missing_edit": skipped}
    return {"failed_call": FAILED[release.failed], "missing_edit": MISSING[release.missing]}


def _ours(info: Info, line: Line, missing: str) -> Sequence[Row]:
    if line["missing"] is None:
        rows: Sequence[Row] = line["rows"]
        return rows
    skipped = unsupported_rule(info) == "skip" if not line["applicable"] else missing == "skip"
    return [left_out(row) for row in line["rows"]] if skipped else line["rows"]


def _without_a_row(info: Info, lines: Sequence[Line]) -> list[Line]:
    if unsupported_rule(info) == "skip":
        return []
    found = [line for line in lines if line["tags"].get("task") == COMPLEX]
    return found if any(not line["applicable"] for line in found) else []


def _by_case(lines: Sequence[Line]) -> list[list[Line]]:
    """The units of each case together, each repeat by itself."""
    found: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        found.setdefault((line["case"], plain(line["variant"])[1]), []).append(line)
    return list(found.values())


def _step(line: Line) -> Step:
    return line["case"], line["variant"]


def _values(rows: Sequence[Row]) -> list[tuple[str, str, float | None]]:
    return sorted(
        (str(row["metric"]), str(row.get("key", "")), row["value"]) for row in rows if row["value"] is not None
    )
