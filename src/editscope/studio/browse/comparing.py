"""Comparisons of runs for a page: kept while the runs are as they were, since tests with resampling take a second."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from editscope.errors import BadInput, EditscopeError
from editscope.results.comparison import CaseContrast, Comparison, compare
from editscope.runfolder.repeats import case_name
from editscope.stats.paired import Paired
from editscope.studio.browse.addresses import case_page, picture, run_page
from editscope.studio.catalog.case_set import CaseSet
from editscope.studio.catalog.catalog import Catalog
from editscope.studio.catalog.indexing import problem_of
from editscope.wording import failure, p_value, plain, signed, signed_range, value

MOST_RUNS = 12
MOST_KEPT = 16
BIGGEST = 24
"""Cases that differ most, on the page."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """One run against the first, over all cases or within a group."""

    name: str
    mean_a: str
    mean_b: str
    difference: str
    interval: str
    wins: int
    ties: int
    losses: int
    p: str
    stars: str
    direction: str
    n: int

    @property
    def bar(self) -> tuple[float, float, float]:
        """Shares of wins, ties and losses in percent."""
        total = max(1, self.wins + self.ties + self.losses)
        return 100 * self.wins / total, 100 * self.ties / total, 100 * self.losses / total


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A comparison as its page shows it."""

    metric: str
    names: Sequence[str]
    rows: Sequence[PairRow]
    kinds: Sequence[str]
    by: str
    groups: Sequence[tuple[str, Sequence[PairRow | None]]]
    notes: Sequence[str]
    cases: Sequence[dict[str, Any]]
    n: int


class Comparisons:
    """The comparisons that were asked for last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Any, ...], Comparison] = OrderedDict()

    def of(self, catalog: Catalog, cases: CaseSet, runs: Sequence[str], metric: str) -> Comparison:
        """A comparison of runs with the first of them; BadInput where they cannot be compared."""
        if len(runs) < 2:
            raise BadInput("Choose at least two runs to compare.")
        if len(runs) > MOST_RUNS:
            raise BadInput(f"Choose at most {MOST_RUNS} runs to compare.")
        key = (cases, tuple(runs), metric)  # a set is another object as soon as one of its runs changes
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            paths = [catalog.path(run) for run in runs]
            try:
                made = compare(*paths, metric=metric or None)
            except EditscopeError as error:
                message = str(error)
                for path in paths:
                    message = problem_of(BadInput(message), path)
                raise BadInput(message) from error
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return made


def comparison_view(cases: CaseSet, runs: Sequence[str], comparison: Comparison, by: str) -> ComparisonView:
    """What the page of a comparison shows."""
    columns = [cases.run(run) for run in runs]
    names = [name if column is None else column.name for name, column in zip(comparison.names, columns, strict=True)]
    metric = comparison.metric
    kinds = comparison.kinds()
    by = by if by in kinds else (kinds[0] if kinds else "")
    rows = [_row(name, table.overall, metric) for name, table in zip(names[1:], comparison.tables, strict=True)]
    groups = [
        (plain(key), [None if one is None else _row("", one, metric) for one in paired])
        for _, key, paired in (comparison.lines(by) if by else ())
    ]
    return ComparisonView(
        metric=str(metric),
        names=names,
        rows=rows,
        kinds=kinds,
        by=by,
        groups=groups,
        notes=comparison.notes(),
        cases=[
            _contrast(cases, runs, names, comparison, case) for case in comparison.cases(BIGGEST) if case.difference
        ],
        n=len(comparison.places) - comparison.left_out.diagnostic,
    )


def _row(name: str, paired: Paired, metric: str) -> PairRow:
    ratio = metric.endswith("_ratio")
    clear = bool(paired.stars) and not ratio
    return PairRow(
        name=name,
        mean_a=value(paired.mean_a, metric),
        mean_b=value(paired.mean_b, metric),
        difference=signed(paired.difference, metric),
        interval=signed_range(paired.lo, paired.hi, metric),
        wins=paired.wins,
        ties=paired.ties,
        losses=paired.losses,
        p=p_value(paired.p_holm),
        stars=paired.stars,
        direction=("good" if paired.difference > 0 else "bad") if clear else "",
        n=paired.n,
    )


def _contrast(
    cases: CaseSet, runs: Sequence[str], names: Sequence[str], comparison: Comparison, case: CaseContrast
) -> dict[str, Any]:
    variants = [record.variant for record in case.records]
    return {
        "name": case_name(case.case_id, variants[0]),
        "href": case_page(cases.id, case.case_id, variants[0]),
        "text": " ".join(case.instruction.split())[:220],
        "difference": signed(case.difference, comparison.metric),
        "direction": "good" if case.difference > 0 else "bad",
        "input": picture(runs[0], case.case_id, variants[0], "input", 160),
        "runs": [
            {
                "name": name,
                "href": run_page(run),
                "score": "–" if score is None else value(score, comparison.metric),
                "label": failure(mode).label if mode else "",
                "src": picture(run, case.case_id, variant, "edit", 160) if record.image or record.images else "",
            }
            for run, name, variant, score, mode, record in zip(
                runs, names, variants, case.scores, case.failures, case.records, strict=True
            )
        ],
    }
