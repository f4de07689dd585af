"""Tables of a run that pixels score: one row for each edit, and the summary with failure modes and the floor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from editscope.results.pixel_rows import FLOOR, RESIZED, PixelRows, as_lists, without_lists
from editscope.results.repeats_summary import about_repeats
from editscope.runfolder.journal import Line, Progress
from editscope.runfolder.repeats import folded, repeats_of
from editscope.runfolder.run_json import Info, aggregation_from

RIGHT = 0.9
"""From this mIoU on an edit counts as right in pass@k."""

Pairs: TypeAlias = Sequence[tuple[Line, Line]]
Columns: TypeAlias = "dict[str, list[Any]]"


def metric_names(info: Info, pairs: Pairs) -> list[str]:
    """The metrics of a run, in order."""
    return list(dict.fromkeys(metric for _, score in pairs for metric in score["metrics"]))


def score_columns(info: Info, pairs: Pairs) -> Columns:
    """One row per edit: case, repeat where there are several, tags, status, metrics, failure mode, counts, curves."""
    rows = PixelRows()
    rows.add(chain.from_iterable(pairs))
    return as_lists(rows.table(repeats_of(info))[0])


def averages(info: Info, pairs: Pairs, done: Progress) -> dict[str, Any]:
    """What summary.json says of a run that pixels score: means, failure modes and the floor."""
    return averages_of(info, score_columns(info, pairs), metric_names(info, pairs))


def averages_of(info: Info, table: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """The same from the columns of the scores."""
    from editscope.stats.summary import summarize

    aggregation = aggregation_from(info)
    columns = without_lists(table)
    resized = sum(columns[RESIZED])
    means = summarize(folded(columns, [*metrics, FLOOR]), aggregation, [*metrics, FLOOR])
    return {
        "overall": {metric: cell for metric, cell in means["overall"].items() if metric != FLOOR},
        "groups": [row for row in means["groups"] if row["metric"] != FLOOR],
        "failures": _failures(columns, aggregation.exclude),
        "floor": {"miou": means["overall"][FLOOR]},
        **({RESIZED: resized} if resized else {}),
        **about_repeats(columns, aggregation, metrics, repeats_of(info), RIGHT),
    }


def _failures(columns: Mapping[str, Any], exclude: Mapping[str, str]) -> dict[str, int]:
    """How many edits have which failure mode, most common first; diagnostic cases stay out, unless all are."""
    failures = columns["failure"]
    if exclude and all(tag in columns for tag in exclude):
        diagnostic, tags = tuple(exclude.values()), zip(*(columns[tag] for tag in exclude), strict=True)
        failures = [mode for mode, case in zip(failures, tags, strict=True) if case != diagnostic] or failures
    return dict(sorted(Counter(failures).items(), key=lambda item: (-item[1], item[0])))
