"""Means of every metric that shares the headline's scale: as axes of a radar, and by row of a table as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.report.judged_runs import scales_of
from editscope.report.model import Cell, RunView, Sheet
from editscope.suites.registry import known_benchmark
from editscope.wording import MetricName, ends, metric_name, plain


@dataclass(frozen=True)
class MetricAxis:
    """An axis of the metric profile: a metric over the whole set, or the headline in one row (``by``, ``key``)."""

    label: str
    metric: str
    by: str = ""
    key: str = ""


@dataclass(frozen=True, eq=False)
class MetricProfile:
    """Metrics on one scale, and each run's cells in their order; None for no mean."""

    axes: tuple[MetricAxis, ...]
    runs: tuple[tuple[RunView, tuple[Cell | None, ...]], ...]

    def means(self, place: int) -> list[float | None]:
        """The means of the run at that place."""
        return [None if cell is None else float(cell["mean"]) for cell in self.runs[place][1]]


@dataclass(frozen=True, eq=False)
class MetricGrid:
    """Rows of a group by metrics, for each run: ``cells[row][metric]``; None for no mean."""

    by: str
    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    runs: tuple[tuple[RunView, tuple[tuple[Cell | None, ...], ...]], ...]


def metrics_on_one_scale(sheet: Sheet) -> tuple[str, ...]:
    """The metrics that are no mean of others and have the scale and the unit of the headline.

    A ratio, decibels, or a share beside marks would need an axis of its own.
    """
    headline = sheet.headline
    known = scales_of(sheet.runs[0].run.info) if sheet.judged else dict.fromkeys(sheet.metrics)
    return tuple(metric for metric in sheet.metrics if metric in known and _alike(metric, headline))


def _alike(metric: str, headline: str) -> bool:
    if isinstance(metric, MetricName) and isinstance(headline, MetricName):
        return (ends(metric), metric.unit) == (ends(headline), headline.unit)
    return metric.endswith("_ratio") == headline.endswith("_ratio") and ends(metric) == ends(headline)


def metric_profile(sheet: Sheet) -> MetricProfile | None:
    """Every metric over the whole set, then the rows that the paper puts beside them; None for fewer than two."""
    axes = [MetricAxis(metric_name(metric), metric) for metric in metrics_on_one_scale(sheet)]
    record = known_benchmark(sheet.suite)
    for by in record.figures.spokes if record else ():
        axes += [MetricAxis(plain(key), sheet.headline, by, key) for key in sheet.keys(by)]
    runs = [(view, [_cell(view, axis) for axis in axes]) for view in sheet.runs]
    used = [place for place in range(len(axes)) if any(cells[place] for _, cells in runs)]
    if len(used) < 2:
        return None
    return MetricProfile(
        tuple(axes[place] for place in used),
        tuple((view, tuple(cells[place] for place in used)) for view, cells in runs),
    )


def _cell(view: RunView, axis: MetricAxis) -> Cell | None:
    cells = view.cells(axis.by, axis.key) if axis.by else view.summary["overall"]
    return known_cell(cells.get(axis.metric))


def metric_grid(sheet: Sheet, by: str) -> MetricGrid | None:
    """The rows of a group by the same metrics, the headline last where it is none of them; None for one metric only."""
    metrics = list(dict.fromkeys([*metrics_on_one_scale(sheet), sheet.headline]))
    keys = tuple(sheet.keys(by))
    runs = [
        (view, [[known_cell(view.cells(by, key).get(metric)) for metric in metrics] for key in keys])
        for view in sheet.runs
    ]
    used = [column for column in range(len(metrics)) if _any(column, [rows for _, rows in runs])]
    if len(used) < 2 or not keys:
        return None
    chosen = tuple((view, tuple(tuple(row[column] for column in used) for row in rows)) for view, rows in runs)
    return MetricGrid(by, keys, tuple(metrics[column] for column in used), chosen)


def _any(column: int, runs: Sequence[Sequence[Sequence[Cell | None]]]) -> bool:
    return any(row[column] is not None for rows in runs for row in rows)


def known_cell(cell: Cell | None) -> Cell | None:
    """A cell that has a mean, or None."""
    return cell if cell is not None and cell["mean"] is not None else None
