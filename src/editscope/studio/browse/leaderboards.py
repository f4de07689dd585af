"""Leaderboards of a set: its runs in order, published results beside them, and means by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editscope import published
from editscope.studio.browse.addresses import gallery, run_page
from editscope.studio.catalog.case_set import CaseSet, RunColumn
from editscope.studio.catalog.catalog import Entry
from editscope.studio.catalog.records import Cell, ShownMetric
from editscope.wording import interval, plain

MOST_COLUMNS = 48
SHADES = 9


@dataclass(frozen=True, slots=True)
class Leader:
    """A row of a leaderboard: a run of ours, or a published result, which no test pairs with ours."""

    name: str
    ours: bool
    mean: float | None
    shown: str
    interval: str
    note: str
    bar: tuple[float, float, float] | None
    others: tuple[str, ...] = ()
    rank: int = 0
    color: int = 0
    address: str = ""
    cases: str = ""
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class GroupTable:
    """Means of every run by group: the kind of group, its keys, and a row for each run."""

    by: str
    kinds: tuple[str, ...]
    keys: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[tuple[str, int], ...]], ...]
    left_out: int = 0


def leaders(
    cases: CaseSet, entries: Sequence[Entry], metric: ShownMetric, others: Sequence[ShownMetric]
) -> list[Leader]:
    """The runs of a set by rank, then the published results of its suite: those are on other cases and have none."""
    by_id = {entry.card.id: entry for entry in entries}
    rows = [_ours(run, by_id.get(run.card.id), metric, others) for run in cases.runs]
    ranked = [replace(row, rank=place) for place, row in enumerate(sorted(rows, key=_best_first), start=1)]
    return [*ranked, *sorted(_published(cases, metric), key=_best_first)]


def _best_first(row: Leader) -> tuple[bool, float]:
    return row.mean is None, -(row.mean or 0.0)


def _ours(run: RunColumn, entry: Entry | None, metric: ShownMetric, others: Sequence[ShownMetric]) -> Leader:
    cell = run.card.cell(metric.key)
    return Leader(
        name=run.name,
        ours=True,
        mean=cell.get("mean"),
        shown=metric.shown(cell.get("mean")),
        interval=interval_of(cell, metric),
        note=run.card.part,
        bar=bar_of(cell, metric),
        others=tuple(other.shown(run.card.cell(other.key).get("mean")) for other in others),
        color=run.place % 8,
        address=run_page(run.card.id),
        cases=gallery(run.card.set_id),
        entry=entry,
    )


def _published(cases: CaseSet, metric: ShownMetric) -> list[Leader]:
    suite = cases.first.suite
    if published.headline(suite) != metric.key:
        return []
    rows = []
    for result in published.main_leaderboard(suite, metric.key):
        half = result.half_width
        cell = {"mean": result.value, "lo": None, "hi": None}
        if half is not None:
            cell |= {"lo": result.value - half, "hi": result.value + half}
        text = "" if half is None else f"± {half:.{metric.decimals}f}"
        note = f"published: {published.label(result)}"
        rows.append(
            Leader(result.model, False, result.value, metric.shown(result.value), text, note, bar_of(cell, metric))
        )
    return rows


def interval_of(cell: Cell, metric: ShownMetric) -> str:
    """The interval of a mean as text."""
    if not cell or cell.get("mean") is None:
        return ""
    if cell.get("lo") is None or cell["lo"] == cell.get("hi"):
        return interval(cell)
    return f"{metric.shown(cell['lo'])} – {metric.shown(cell['hi'])}"


def bar_of(cell: Cell, metric: ShownMetric) -> tuple[float, float, float] | None:
    """Where mean and interval are on the scale, from 0 to 100."""
    if not cell or cell.get("mean") is None:
        return None

    def at(value: float) -> float:
        return round(min(100.0, max(0.0, 100 * (value - metric.low) / ((metric.high - metric.low) or 1.0))), 2)

    mean = at(cell["mean"])
    lo, hi = cell.get("lo"), cell.get("hi")
    return (mean, mean if lo is None else at(lo), mean if hi is None else at(hi))


def group_table(cases: CaseSet, metric: ShownMetric, by: str) -> GroupTable | None:
    """The means of every run by one kind of group; the first kind where ``by`` is none of them."""
    kinds: dict[str, dict[str, None]] = {}
    for run in cases.ranked:
        for row in run.card.groups:
            if row["metric"] == metric.key:
                kinds.setdefault(row["by"], {})[row["key"]] = None
    if not kinds:
        return None
    by = by if by in kinds else next(iter(kinds))
    keys = list(kinds[by])
    shown = keys[:MOST_COLUMNS]
    rows = []
    for run in cases.ranked:
        means = {row["key"]: row["mean"] for row in run.card.groups if row["by"] == by and row["metric"] == metric.key}
        cells = tuple((metric.shown(means.get(key)), _shade(means.get(key), metric)) for key in shown)
        rows.append((run.name, run_page(run.card.id), cells))
    return GroupTable(by, tuple(kinds), tuple(plain(key) for key in shown), tuple(rows), len(keys) - len(shown))


def _shade(mean: float | None, metric: ShownMetric) -> int:
    if mean is None:
        return 0
    share = (mean - metric.low) / ((metric.high - metric.low) or 1.0)
    return round(SHADES * min(1.0, max(0.0, share)))
