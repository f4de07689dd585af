"""Rows of a suite's tables from the scores of its cases: mean, 95 % interval and number of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from editscope.stats.bootstrap import RESAMPLES, hierarchical_bootstrap, percentile_interval
from editscope.stats.frame import DIAGNOSTIC, UNIT, Frame, MeanTable, Rows, by_frame
from editscope.stats.hierarchy import Floats
from editscope.stats.small_groups import spreads

if TYPE_CHECKING:
    from editscope.cases import Aggregation

__all__ = ["DIAGNOSTIC", "Rows", "percent_scale", "resampled_within", "shown", "summarize"]

WAYS = {"release": "as the release does", "paper": "as the paper describes"}
"""The words for each choice of strata."""


def summarize(
    rows: Rows,
    aggregation: Aggregation,
    metrics: Sequence[str],
    *,
    unit: str | None = UNIT,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """Every row of every table of a suite, from one set of bootstrap resamples.

    ``rows`` has one entry per case: a column for each tag that ``aggregation`` names, and one for each
    metric with fractions (None or NaN: no value). The result is in percent, except for metrics whose name
    ends in ``_ratio``, which stay as they are. ``n`` counts the rows that have a value; a row of a table
    without any has None for mean, lo and hi; with ``resamples=0`` there are means and no intervals. A row with
    fewer than five cases to resample has None for lo and hi, and ``few_cases`` says how many it has; so has one
    whose scores differ in a way that resampling does not show, and ``hidden_spread`` says so. Cases that match
    ``aggregation.exclude`` are averaged on their own, under the group ``diagnostic``. With a column ``case_id``
    the result does not depend on the order of rows, and runs over the same cases share their resamples.

    Rows may be finer than cases: questions, metrics, repeats. Those that share a ``unit`` are then drawn
    together (``unit=None`` draws every row on its own). ``Group("overall", ())`` pools such rows,
    ``Group("overall", (), ("case_id",))`` averages each case first, ``Group("overall", (), ("metric",
    "task"))`` is the mean over tasks of the mean of metric means.

    >>> from editscope.cases import Aggregation, Group
    >>> plan = Aggregation(Group("overall", (), ("task",)), (Group("task", ("task",)),), strata=("task",))
    >>> rows = {"task": ["border"] * 6 + ["removal"] * 2, "miou": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.25, 0.25]}
    >>> result = summarize(rows, plan, ["miou"])
    >>> result["overall"]["miou"]  # the mean of two task means
    {'mean': 37.5, 'lo': 20.833333333, 'hi': 54.166666667, 'n': 8}
    >>> result["groups"][1]
    {'by': 'task', 'key': 'removal', 'metric': 'miou', 'mean': 25.0, 'lo': None, 'hi': None, 'n': 2, 'few_cases': 2}
    >>> questions = {"case_id": ["a", "a", "a", "b"], "right": [1, 1, 0, 0]}
    >>> both = Aggregation(Group("pooled", ()), (Group("by case", (), ("case_id",)),), strata=())
    >>> result = summarize(questions, both, ["right"], resamples=0)
    >>> result["overall"]["right"]["mean"], round(result["groups"][0]["mean"], 1)  # 2 of 4; (2/3 + 0) / 2
    (50.0, 33.3)
    """
    tables = Frame.of(rows, aggregation, metrics, unit).tables(aggregation)
    cells: list[list[dict[str, dict[str, Any]]]] = [[] for _ in tables]
    for frame, places in by_frame(tables):
        means, samples = hierarchical_bootstrap(
            frame.values,
            frame.strata,
            [tables[place].hierarchy for place in places],
            units=frame.units,
            resamples=resamples,
            seed=seed,
        )
        for place, mean, sample in zip(places, means, samples, strict=True):
            cells[place] = _cells(mean, sample, tables[place], metrics)
    nothing = {metric: dict[str, Any](mean=None, lo=None, hi=None, n=0) for metric in metrics}
    return {
        "overall": cells[0][0] if cells[0] else nothing,
        "groups": [
            {"by": table.name, "key": key, "metric": metric, **cell}
            for table, rows_of in zip(tables[1:], cells[1:], strict=True)
            for key, row in zip(table.keys, rows_of, strict=True)
            for metric, cell in row.items()
        ],
    }


def resampled_within(aggregation: Aggregation) -> str:
    """Within what the bootstrap of a suite's intervals resamples, in words that follow "cases resampled".

    >>> from editscope.cases import Aggregation, Group
    >>> rows = (Group("condition", ("condition",), ("task",), strata=("task", "condition")),)
    >>> resampled_within(Aggregation(Group("overall", ()), rows, strata=("task",), resampling="release"))
    'within task (rows by condition: within task and condition), as the release does'
    >>> resampled_within(Aggregation(Group("overall", ()), (), strata=()))
    'over the whole suite'
    >>> resampled_within(Aggregation(Group("overall", ()), (), strata=("task",), unit="problem"))
    'within task, all cases of a problem together'
    """

    def words(strata: tuple[str, ...]) -> str:
        return f"within {' and '.join(tag.replace('_', ' ') for tag in strata)}" if strata else "over the whole suite"

    own = [group for group in aggregation.groups if group.strata not in (None, aggregation.strata)]
    apart = "; ".join(f"rows by {group.name}: {words(group.strata or ())}" for group in own)
    way = WAYS.get(aggregation.resampling)
    together = f", all cases of a {aggregation.unit} together" if aggregation.unit else ""
    return words(aggregation.strata) + (f" ({apart})" if apart else "") + together + (f", {way}" if way else "")


def percent_scale(metric: str) -> float:
    """What a fraction is multiplied by before it is shown: 100, or 1 for a ratio that has no upper bound.

    >>> percent_scale("miou"), percent_scale("over_edit_ratio")
    (100.0, 1.0)
    """
    return 1.0 if metric.endswith("_ratio") else 100.0


def shown(value: float, metric: str) -> float | None:
    """A fraction as tables carry it: in percent, to nine decimals, None for NaN.

    >>> shown(0.5, "miou"), shown(float("nan"), "miou")
    (50.0, None)
    """
    # Nine decimals are more than any table shows and hide the last bits of the division above.
    return None if np.isnan(value) else round(float(value) * percent_scale(metric), 9)


def _cells(means: Floats, samples: Floats, table: MeanTable, metrics: Sequence[str]) -> list[dict[str, dict[str, Any]]]:
    """Each row of a table as ``{metric: {"mean", "lo", "hi", "n"}}``."""
    rows = len(means)
    sides = percentile_interval(samples.reshape(rows * len(metrics), samples.shape[2]))
    low, high = (side.reshape(rows, len(metrics)) for side in sides)
    row_of, values = table.hierarchy.row_of, table.frame.values
    gaps = [
        [{} if np.isnan(lo) else spread.gap(lo, hi) for spread, lo, hi in zip(of_row, low[row], high[row], strict=True)]
        for row, of_row in enumerate(spreads(table))
    ]
    none = np.array([[bool(gap) for gap in of_row] for of_row in gaps], dtype=np.bool_).reshape(low.shape)
    low[none], high[none] = np.nan, np.nan
    return [
        {
            metric: {
                "mean": shown(means[row, column], metric),
                "lo": shown(low[row, column], metric),
                "hi": shown(high[row, column], metric),
                "n": int(np.isfinite(values[row_of == row, column]).sum()),
                **gaps[row][column],
            }
            for column, metric in enumerate(metrics)
        }
        for row in range(rows)
    ]
