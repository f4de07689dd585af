"""Questions to a set of cases: filters, search and order, from the address of a page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

from editscope.studio.catalog.case_set import CaseSet, RunColumn

TAG = "tag."
"""What stands before the name of a tag in an address."""
ORDERS = {
    "suite": "Order of the suite",
    "name": "Name",
    "worst": "Lowest score first",
    "best": "Highest score first",
    "spread": "Runs differ most",
}
LONGEST_SEARCH = 400

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CaseQuery:
    """Which cases of a set, and in which order. ``run`` is the one that filters of results are about; "" is any run."""

    text: str = ""
    run: str = ""
    mode: str = ""
    status: str = ""
    metric: str = ""
    low: float | None = None
    high: float | None = None
    order: str = "suite"
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> CaseQuery:
        """The question of an address; what it does not understand there filters nothing.

        >>> CaseQuery.of([("q", "red"), ("tag.task", "border"), ("min", "x")]).tags
        {'task': ('border',)}
        """
        fields = dict(pairs)
        tags: dict[str, tuple[str, ...]] = {}
        for name, value in pairs:
            if name.startswith(TAG) and value:
                tag = name.removeprefix(TAG)
                tags[tag] = (*tags.get(tag, ()), value)
        order = fields.get("sort", "")
        return cls(
            text=fields.get("q", "")[:LONGEST_SEARCH],
            run=fields.get("run", ""),
            mode=fields.get("failure", ""),
            status=fields.get("status", ""),
            metric=fields.get("metric", ""),
            low=_number(fields.get("min")),
            high=_number(fields.get("max")),
            order=order if order in ORDERS else "suite",
            tags=tags,
        )

    def address(self) -> str:
        """The question as it stands in an address, without what filters nothing."""
        pairs: list[tuple[str, Any]] = [
            ("q", self.text), ("run", self.run), ("failure", self.mode), ("status", self.status),
            ("metric", self.metric), ("min", self.low), ("max", self.high),
            ("sort", "" if self.order == "suite" else self.order),
            *((f"{TAG}{tag}", value) for tag, values in self.tags.items() for value in values),
        ]  # fmt: skip
        return urlencode([(name, value) for name, value in pairs if value not in ("", None)])

    def places(self, cases: CaseSet) -> npt.NDArray[np.int64]:
        """Where the cases are that it asks for, in its order."""
        chosen = cases.run(self.run)
        runs = cases.runs if chosen is None else (chosen,)
        keep = np.ones(len(cases), bool)
        for tag, values in self.tags.items():
            if tag in cases.tag_places:
                numbers, codes = cases.tag_places[tag]
                keep &= np.isin(codes, [numbers[value] for value in values if value in numbers])
        if self.mode:
            keep &= _any(runs, lambda run: run.modes == _place(cases.modes, self.mode), len(cases))
        if self.status:
            keep &= _any(runs, lambda run: run.statuses == _place(cases.statuses, self.status), len(cases))
        metric = self.metric if cases.metric(self.metric) is not None else cases.first.headline
        if self.low is not None or self.high is not None:
            low, high = (-math.inf if self.low is None else self.low), (math.inf if self.high is None else self.high)
            keep &= _any(runs, lambda run: _within(run.metrics.get(metric), low, high, len(cases)), len(cases))
        if chosen is not None and not (self.mode or self.status):
            keep &= chosen.modes >= 0
        found = np.flatnonzero(keep)
        for word in self.text.casefold().split():
            found = np.array([place for place in found if word in cases.searched[place]], np.int64)
        return self._ordered(cases, runs, metric, found)

    def _ordered(
        self, cases: CaseSet, runs: Sequence[RunColumn], metric: str, found: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        if self.order == "suite" or not len(found):
            return found
        if self.order == "name":
            return np.array(sorted(found, key=lambda place: cases.names[place]), np.int64)
        table = np.array([values[found] for run in runs if (values := run.metrics.get(metric)) is not None])
        if not len(table):
            return found
        known = ~np.isnan(table)
        count = known.sum(axis=0)
        total = np.where(known, table, 0.0).sum(axis=0)
        if self.order == "spread":
            spread = np.where(known, table, -np.inf).max(axis=0) - np.where(known, table, np.inf).min(axis=0)
            key = np.where(count > 0, -spread, np.inf)
        else:
            mean = np.divide(total, count, out=np.full(len(found), np.nan), where=count > 0)
            key = np.where(count > 0, mean if self.order == "worst" else -mean, np.inf)
        return found[np.argsort(key, kind="stable")]


def _any(runs: Sequence[RunColumn], test: Any, n: int) -> Mask:
    keep: Mask = np.zeros(n, bool)
    for run in runs:
        keep |= test(run)
    return keep


def _within(values: npt.NDArray[np.float64] | None, low: float, high: float, n: int) -> Mask:
    if values is None:
        return np.zeros(n, bool)
    with np.errstate(invalid="ignore"):
        return np.asarray((values >= low) & (values <= high))


def _place(known: Sequence[str], value: str) -> int:
    return known.index(value) if value in known else -2


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
