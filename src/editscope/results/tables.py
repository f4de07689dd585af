"""Scores and summary of a run, as they follow from the lines of its journal."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from editscope.results import judged_tables, pixel_tables
from editscope.results.arrow_columns import arrow_table
from editscope.results.left_unchanged import common_reasons
from editscope.results.pixel_rows import FLOOR
from editscope.results.speed import speed
from editscope.runfolder.code_versions import several_versions
from editscope.runfolder.journal import Line, Progress
from editscope.runfolder.repeats import folded, plain, repeats_of
from editscope.runfolder.run_json import Info, is_judged

SCORES = "scores.parquet"
SUMMARY = "summary.json"
PENDING = "pending"
"""What the coverage calls cases that lack a score."""

Pairs: TypeAlias = Sequence[tuple[Line, Line]]
Columns: TypeAlias = "dict[str, list[Any]]"


def scored(progress: Progress) -> list[tuple[Line, Line]]:
    """The edit and score lines of all finished cases, in the order of the suite; of several edits the first."""
    pairs = []
    for step, score in progress.scores.items():
        edited = (step[0], score["unit"][0]) if "unit" in score else step
        if edited in progress.edits:
            pairs.append((progress.edits[edited], score))

    def order(pair: tuple[Line, Line]) -> tuple[Any, ...]:
        variant, repeat = plain(pair[1]["variant"])
        return pair[1]["index"], pair[1].get("place", 0), repeat, variant

    return sorted(pairs, key=order)


def finished(pairs: Pairs, repeats: int = 1) -> int:
    """How many cases have all their scores, in all repeats."""
    units = Counter(score["case"] for _, score in pairs)
    wanted = {score["case"]: repeats * score.get("units", 1) for _, score in pairs}
    return sum(units[case_id] >= wanted[case_id] for case_id in units)


class ScoringTables(Protocol):
    """The tables that depend on who scores: ``pixel_tables`` and ``judged_tables`` are the two implementations."""

    def metric_names(self, info: Info, pairs: Pairs) -> list[str]:
        """The metrics of a run, in order."""

    def score_columns(self, info: Info, pairs: Pairs) -> Columns:
        """The columns of scores.parquet."""

    def averages(self, info: Info, pairs: Pairs, done: Progress) -> dict[str, Any]:
        """The means of summary.json, and what belongs to them."""


def tables_for(info: Info) -> ScoringTables:
    """The tables of a run that pixels score, or of one that judges score."""
    return judged_tables if is_judged(info) else pixel_tables


def score_columns(info: Info, pairs: Pairs) -> Columns:
    """The columns of scores.parquet: one row per edit, or per number of a run with judges."""
    return tables_for(info).score_columns(info, pairs)


def metric_names(info: Info, pairs: Pairs) -> list[str]:
    """The metrics of a run, in order; of a run with judges its measures."""
    return tables_for(info).metric_names(info, pairs)


def averaged(info: Info, pairs: Pairs, columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The rows that means and comparisons are made of: each case once, by the mean over its repeats."""
    return folded(columns, [*metric_names(info, pairs), FLOOR])


def summary(info: Info, pairs: Pairs, done: Progress) -> dict[str, Any]:
    """What summary.json says: means with intervals, coverage, what belongs to pixels or to judges, and the speed.

    ``done`` is all that the journal says; ``pairs`` hold the edit and the score of each unit that has one.
    """
    covered = coverage(info["selection"]["n"], pairs, repeats_of(info))
    return _summary(info, covered, tables_for(info).averages(info, pairs, done), done.edits.values())


def pixel_summary(
    info: Info, columns: Mapping[str, Any], metrics: Sequence[str], edits: Collection[Line]
) -> dict[str, Any]:
    """The same of a run that pixels score, from its columns."""
    averages = pixel_tables.averages_of(info, columns, metrics)
    return _summary(info, pixel_coverage(info, columns), averages, edits)


def pixel_coverage(info: Info, columns: Mapping[str, Any]) -> dict[str, int]:
    """The coverage of a run that pixels score, from its columns."""
    repeats = repeats_of(info)
    whole = sum(rows >= repeats for rows in Counter(columns["case_id"]).values())
    return _coverage(columns["status"], info["selection"]["n"] - whole)


def _summary(
    info: Info, covered: Mapping[str, int], averages: Mapping[str, Any], edits: Collection[Line]
) -> dict[str, Any]:
    n, whole = info["selection"]["n"], info["selection"].get("of")
    took = speed(edits)
    return {
        "suite": info["suite"]["name"],
        "editor": info["editor"]["spec"] or info["editor"]["name"],
        "judge": info["judge"],
        "n_cases": n,
        **({} if whole is None else {"n_suite": whole}),
        "coverage": covered,
        **averages,
        **several_versions(info, edits),
        **({} if took is None else {"speed": took}),
        **common_reasons(edits),
    }


def coverage(n: int, pairs: Pairs, repeats: int = 1) -> dict[str, int]:
    """How many edits (units of cases, for judges; each repeat by itself) have which status.

    Cases that lack the score of any repeat are ``pending``.
    """
    return _coverage((score["status"] for _, score in pairs), n - finished(pairs, repeats))


def _coverage(statuses_of_edits: Iterable[str], left: int) -> dict[str, int]:
    counts = Counter(statuses_of_edits)
    statuses = {"ok": counts.pop("ok", 0), **dict(sorted(counts.items()))}
    return statuses | ({PENDING: left} if left > 0 else {})


def as_table(columns: Mapping[str, Any]) -> Any:
    """The columns as a pyarrow Table; arrays of two dimensions become lists."""
    import pyarrow as pa

    types = {"reason": pa.string(), "image": pa.string(), "latency_s": pa.float64(), "cost_usd": pa.float64()}
    types |= {"value": pa.float64(), "agreement": pa.float64()}
    return arrow_table(columns, types)


def as_parquet(columns: Mapping[str, Any], about: Mapping[str, str]) -> bytes:
    """The columns as the bytes of scores.parquet, with what its metadata says."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(as_table(columns).replace_schema_metadata(dict(about)), buffer, compression="zstd")
    return buffer.getvalue()
