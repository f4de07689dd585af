"""Accounting of a judged run: which rows of its journal count for how much, our way and as the released tool does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from editscope.runfolder.journal import Line, Step
from editscope.runfolder.repeats import plain
from editscope.scoring.rubrics.accounting import (
    FAILED,
    MISSING,
    OURS,
    Accounting,
    Release,
    Row,
    UnitRows,
    left_out,
    released,
)
from editscope.suites.registry import known_benchmark
from editscope.suites.rubrics import released_tool

Info: TypeAlias = Mapping[str, Any]

COMPLEX = "complex"
"""The task whose table WiseEdit's authors leave a model out of that cannot take all its inputs."""
UNSUPPORTED = ("zero", "skip")


@dataclass(frozen=True, eq=False)
class CountedRows:
    """The rows of every score line as they count, by case and unit.

    ``unknown`` counts units that the released tool scores by verdicts that this journal does not have; they stand here
    as we count them.
    """

    rows: Mapping[Step, Sequence[Row]]
    unknown: int = 0

    def same(self, other: CountedRows) -> bool:
        """Whether every number counts alike."""
        return all(_values(rows) == _values(other.rows[step]) for step, rows in self.rows.items())


def accounting_of(info: Info) -> Accounting:
    """How a run counts, from its run.json."""
    accounting: Accounting = info["judging"].get("accounting", "ours")
    return accounting


def other_than(accounting: Accounting) -> Accounting:
    """The other way to count."""
    return "released" if accounting == "ours" else "ours"


def release_of(info: Info) -> Release | None:
    """The rules of the released tool of a run's protocol; none where nobody released one."""
    return released_tool(info["judging"]["protocol"]["name"])


def count_rows(info: Info, scores: Iterable[Line], accounting: Accounting | None = None) -> CountedRows:
    """What counts of some score lines, the way the run says or another.

    Where a release stops, and for protocols without a release, ``released`` counts as we do.
    """
    lines = list(scores)
    accounting = accounting or accounting_of(info)
    release = release_of(info) if accounting == "released" else None
    missing = info["judging"]["missing"] if accounting == accounting_of(info) else "worst"
    counted: dict[Step, Sequence[Row]] = {}
    unknown = 0
    for group in _by_case(lines):
        judged = [line for line in group if line["applicable"]]
        for line in group:
            counted[_step(line)] = _ours(info, line, missing)
        if release is not None and judged:
            units = [UnitRows(line["rows"], line["missing"], line.get("white")) for line in judged]
            for line, rows in zip(judged, released(release, units), strict=True):
                unknown += rows is None
                counted[_step(line)] = line["rows"] if rows is None else rows
    for line in _without_a_row(info, lines):
        counted[_step(line)] = [left_out(row) for row in line["rows"]]
    return CountedRows(counted, unknown)


def unsupported_rule(info: Info) -> str:
    """What an edit counts that the editor cannot make because it takes fewer pictures: ``zero`` or ``skip``.

    >>> unsupported_rule({"judging": {"protocol": {"name": "kris", "options": {}}}})
    'skip'
    """
    protocol = info["judging"]["protocol"]
    record = known_benchmark(protocol["name"])
    option = next((option for option in record.options if option.name == "unsupported"), None) if record else None
    return "skip" if option is None else str(protocol["options"].get("unsupported", option.values[0]))


def without_a_row(info: Info, scores: Iterable[Line]) -> int:
    """How many units of WiseEdit-Complex get no number because the editor cannot take the inputs of some."""
    return len(_without_a_row(info, list(scores)))


def rules_in_words(info: Info) -> dict[str, str]:
    """The rules by which a run counts, in words."""
    release = release_of(info) if accounting_of(info) == "released" else None
    if release is None:
        skipped = {"skip": "left out", "fail": "the run stops"}.get(info["judging"]["missing"], OURS["missing"])
        return {"failed_call": OURS["failed"], "missing_edit": skipped}
    return {"failed_call": FAILED[release.failed], "missing_edit": MISSING[release.missing]}


def accounting_in_words(summary: Mapping[str, Any]) -> str:
    """How a run counts what is missing and what the other way gives, in a sentence; "" where that tells nothing."""
    account = summary.get("accounting") or {}
    release = account.get("release")
    counted_so = f"counted as {release}'s released tool does"
    if account.get("used") == "released" and release is None:
        return "there is no released tool for this protocol: counted our way"
    if account.get("unknown"):
        edits = "1 missing edit" if account["unknown"] == 1 else f"{account['unknown']:,} missing edits"
        return (
            f"{release}'s released tool judges a white picture in place of {edits}, which nobody was asked about: "
            "editscope rescore RUN --accounting released does"
        )
    if account.get("used") == "released":
        rules = f"a failed call: {account['rules']['failed_call']}; a missing edit: {account['rules']['missing_edit']}"
        other = f"our way: {_apart(summary)}" if account["differs"] else "our way gives the same"
        return f"{counted_so} ({rules}); {other}"
    return f"{counted_so}: {_apart(summary)}" if account.get("differs") else ""


def _apart(summary: Mapping[str, Any]) -> str:
    """The means of the other accounting that differ, the headline first, each with its distance from the used one."""
    found, said = summary["accounting"], []
    for measure in sorted(summary["measures"], key=lambda one: one["name"] != summary["headline"]):
        apart, mean = found["difference"].get(measure["name"]), found["other"]["overall"][measure["name"]]["mean"]
        digits = 2 if (measure["best"] - measure["zero"]) * measure["scale"] <= 10 else 1
        used = summary["overall"].get(measure["name"], {}).get("mean")
        if (mean is None) != (used is None):
            said.append(f"{measure['label']} {'has no value' if mean is None else f'{mean:.{digits}f}'}")
        elif apart is not None and apart:
            said.append(f"{measure['label']} {mean:.{digits}f} ({apart:+.{digits}f})".replace("(-", "(−"))
    return " · ".join(said) or "the same overall; rows of the tables differ"


def unsupported_in_words(summary: Mapping[str, Any]) -> str:
    """What edits count that the editor cannot make because it takes fewer pictures; "" where it takes all."""
    refused = summary.get("unsupported")
    if not refused:
        return ""
    if refused["without_a_row"]:
        return f"not applicable {refused['n']:,} (no row, as in the paper; --unsupported skip counts the other cases)"
    if refused["rule"] == "zero":
        return f"not applicable {refused['n']:,} (each counts 0 on every metric; --unsupported skip leaves them out)"
    gone = "; ".join(f"{tag} {', '.join(keys)}" for tag, keys in refused["vanished"].items())
    return f"not applicable {refused['n']:,} (out of the averages" + (f"; nothing is left of {gone})" if gone else ")")


def _ours(info: Info, line: Line, missing: str) -> Sequence[Row]:
    if line["missing"] is None:
        rows: Sequence[Row] = line["rows"]
        return rows
    skipped = unsupported_rule(info) == "skip" if not line["applicable"] else missing == "skip"
    return [left_out(row) for row in line["rows"]] if skipped else line["rows"]


def _without_a_row(info: Info, lines: Sequence[Line]) -> list[Line]:
    if unsupported_rule(info) == "skip":
        return []
    complex_lines = [line for line in lines if line["tags"].get("task") == COMPLEX]
    return complex_lines if any(not line["applicable"] for line in complex_lines) else []


def _by_case(lines: Sequence[Line]) -> list[list[Line]]:
    """The units of each case together, each repeat by itself."""
    by_case: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        by_case.setdefault((line["case"], plain(line["variant"])[1]), []).append(line)
    return list(by_case.values())


def _step(line: Line) -> Step:
    return line["case"], line["variant"]


def _values(rows: Sequence[Row]) -> list[tuple[str, str, float | None]]:
    return sorted(
        (str(row["metric"]), str(row.get("key", "")), row["value"]) for row in rows if row["value"] is not None
    )
