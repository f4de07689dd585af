"""Columns of rubric scores, as the statistics of tables take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from editscope.cases import Aggregation
from editscope.scoring.rubrics import Measure, ScoreRow

Columns = dict[str, list[Any]]
FIXED = ("metric", "value", "status", "variant", "key", "asked", "answered", "agreement")


def score_columns(
    scored: Iterable[tuple[str, Mapping[str, str], Sequence[ScoreRow]]], aggregation: Aggregation
) -> Columns:
    """Long columns of the rows of some cases, each given by its id, its tags and its rows.

    A column for every tag that a case or a row has or that the aggregation names; none where it is missing.
    """
    found = [(case_id, tags, row) for case_id, tags, rows in scored for row in rows]
    groups = (aggregation.overall, *aggregation.groups)
    named = [tag for group in groups for tag in (*group.by, *group.over)]
    named += [*aggregation.strata, *aggregation.exclude]
    tagged = [tag for _, tags, row in found for tag in (*tags, *row.tags)]
    columns: Columns = {"case_id": [case_id for case_id, _, _ in found]}
    for tag in dict.fromkeys([*tagged, *named]):
        if tag not in ("case_id", *FIXED):
            columns[tag] = [row.tags.get(tag, tags.get(tag)) for _, tags, row in found]
    return columns | {name: [getattr(row, name) for _, _, row in found] for name in FIXED}


def measured(columns: Mapping[str, Sequence[Any]], measures: Sequence[Measure]) -> Columns:
    """The columns with one more for each measure, as ``stats.summary.summarize`` takes them: shown values / 100.

    A row that does not count for a measure, or has no value, has none.
    """
    rows = list(zip(columns["metric"], columns["value"], strict=True))
    added = {
        measure.name: [
            measure.shown(value) / 100 if metric in measure.metrics and value is not None else None
            for metric, value in rows
        ]
        for measure in measures
    }
    return {name: list(entries) for name, entries in columns.items()} | added
