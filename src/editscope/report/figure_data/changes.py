"""Before and after: two runs, or two levels or languages of one run, paired case by case with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from editscope.cases import Aggregation
from editscope.errors import BadInput
from editscope.report.figure_data.splits import variant_label
from editscope.report.model import VARIANT_TAGS, RunView, Sheet
from editscope.stats.paired import Paired, compare_rows
from editscope.suites.registry import known_benchmark

CASE = ("case_id", "metric", "key")
"""What two levels of one case have in common."""


@dataclass(frozen=True, eq=False)
class MetricChange:
    """What becomes of one metric from ``before`` to ``after``, over all cases ("") and in each row of a group.

    ``view`` is the run after the change; of two levels of one run, that run.
    """

    before: str
    after: str
    view: RunView
    metric: str
    rows: tuple[tuple[str, Paired], ...]

    def row(self, key: str) -> Paired | None:
        """One row by its key."""
        return dict(self.rows).get(key)


def change_metrics(sheet: Sheet) -> tuple[str, ...]:
    """The metrics whose change the paper shows, as far as all runs have them; else the headline."""
    record = known_benchmark(sheet.suite)
    wanted = record.figures.changes if record else ()
    shown = {str(metric): metric for metric in sheet.metrics}
    known = [shown.get(name, name) for name in wanted if all(view.run.has_metric(name) for view in sheet.runs)]
    return tuple(known) or (sheet.headline,)


def run_pairs(sheet: Sheet, *, two_by_two: bool = False) -> list[tuple[RunView, RunView]]:
    """Every run after the first with the first before it; or the runs two by two, in their order."""
    if not two_by_two:
        return [(sheet.runs[0], view) for view in sheet.runs[1:]]
    if len(sheet.runs) % 2:
        raise BadInput(
            f"--pairs takes runs two by two, before and after, and there are {len(sheet.runs)} of {sheet.suite}; "
            "give an even number"
        )
    return list(zip(sheet.runs[::2], sheet.runs[1::2], strict=True))


def changes_between(
    sheet: Sheet, pairs: Sequence[tuple[RunView, RunView]], metric: str, by: str, resamples: int
) -> list[MetricChange]:
    """The change of a metric for each pair of runs; a pair without a case in common is left out."""
    changes = []
    for first, second in pairs:
        rows = _compared(sheet, _rows(first, metric), _rows(second, metric), metric, by, resamples, match=sheet.match)
        if rows:
            changes.append(MetricChange(first.name, second.name, second, metric, rows))
    return changes


def changes_of_variants(sheet: Sheet, view: RunView, metric: str, by: str, resamples: int) -> list[MetricChange]:
    """The change from the first level of instruction to each other one, then the same for languages, of one run."""
    changes = []
    for tag in VARIANT_TAGS:
        first, *others = sheet.keys(tag) or [""]
        for other in others:
            before, after = (_where(_rows(view, metric), tag, value) for value in (first, other))
            rows = _compared(sheet, before, after, metric, by, resamples, match=CASE)
            if rows:
                changes.append(MetricChange(variant_label(first), variant_label(other), view, metric, rows))
    return changes


def _rows(view: RunView, metric: str) -> dict[str, list[Any]]:
    """The columns that are compared, with one for a metric that only the stored counts have."""
    return view.scores if metric in view.scores else view.run.averaged_rows(metric)


def _where(rows: dict[str, list[Any]], tag: str, value: str) -> dict[str, list[Any]]:
    places = [place for place, own in enumerate(rows[tag]) if own == value]
    return {name: [values[place] for place in places] for name, values in rows.items()}


def _compared(
    sheet: Sheet,
    before: dict[str, list[Any]],
    after: dict[str, list[Any]],
    metric: str,
    by: str,
    resamples: int,
    *,
    match: Sequence[str],
) -> tuple[tuple[str, Paired], ...]:
    plan = _only(sheet.aggregation, by)
    try:
        table = compare_rows(before, after, plan, metric, match=match, resamples=resamples)
    except BadInput:  # no case in common
        return ()
    keys = [(key, table.group(by, key)) for key in (sheet.keys(by) if by else ())]
    return (("", table.overall), *((key, paired) for key, paired in keys if paired is not None))


def _only(aggregation: Aggregation, by: str) -> Aggregation:
    """The same averages without the groups that nobody asked for: each is resampled."""
    return replace(aggregation, groups=tuple(group for group in aggregation.groups if group.name == by))
