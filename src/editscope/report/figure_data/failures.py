"""Shares of failure modes, for all cases or by row of a table, run by run."""

from __future__ import annotations

from dataclasses import dataclass

from editscope.report.model import RunView, Sheet
from editscope.stats.diagnosis import Shares, failure_shares
from editscope.stats.diagnosis.columns import in_order


@dataclass(frozen=True, eq=False)
class SharesOfCases:
    """The shares of some cases: ``key`` is what these have in common, () for all; None for a run without any."""

    key: tuple[str, ...]
    runs: tuple[tuple[RunView, Shares | None], ...]


def shares_of_failures(sheet: Sheet, by: tuple[str, ...] = ()) -> list[SharesOfCases]:
    """The shares of all cases, or of those that share each value of the tags ``by``."""
    exclude, orders = sheet.aggregation.exclude, sheet.aggregation.orders
    by_run = [
        {shares.key: shares for shares in failure_shares(view.rows, by, exclude, orders=orders)} for view in sheet.runs
    ]
    keys = in_order((key for of_run in by_run for key in of_run), by, orders)
    return [
        SharesOfCases(key, tuple((view, of_run.get(key)) for view, of_run in zip(sheet.runs, by_run, strict=True)))
        for key in keys
    ]
