"""Exemplars of failure modes: for each mode the case whose tolerance curves are most like those of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editscope.report.figure_data.curves import CURVES
from editscope.report.model import RunView, Sheet
from editscope.results.case_record import CaseRecord
from editscope.scoring import PixelScore
from editscope.stats.diagnosis.columns import curves as all_curves
from editscope.wording import failure_order

LEFT_OUT = ("success", "no_output")
"""What is no way to fail that a picture would show."""


@dataclass(frozen=True, eq=False)
class Exemplar:
    """A case of a run that stands for ``n`` of its failure mode, over all runs, of ``total`` cases.

    ``curves`` are IoU, edit and preservation accuracy in percent at ΔE 0 … 10.
    """

    mode: str
    view: RunView
    record: CaseRecord
    curves: tuple[tuple[float, ...], ...]
    n: int
    total: int


def exemplars(sheet: Sheet) -> list[Exemplar]:
    """One for each failure mode that the runs have, from the mildest to the worst."""
    scored = [(view, record, curves) for view in sheet.runs for record, curves in _scored(sheet, view)]
    by_mode: dict[str, list[tuple[RunView, CaseRecord, NDArray[np.float64]]]] = {}
    for view, record, curves in scored:
        if record.failure and record.failure not in LEFT_OUT:
            by_mode.setdefault(record.failure, []).append((view, record, curves))
    chosen = []
    for mode in failure_order(by_mode):
        members = by_mode[mode]
        view, record, _ = members[most_typical(np.array([curves for _, _, curves in members]))]
        chosen.append(Exemplar(mode, view, record, curves_of(record), len(members), len(scored)))
    return chosen


def _scored(sheet: Sheet, view: RunView) -> Iterator[tuple[CaseRecord, NDArray[np.float64]]]:
    """The cases of a run that have counts, each with its three curves in a row."""
    names = [f"{field}_curve" for field, _ in CURVES]
    rows = view.rows
    if any(name not in rows for name in names):
        return
    curves = np.hstack([all_curves(rows, name) for name in names])
    places = {key: place for place, key in enumerate(zip(rows["case_id"], rows["variant"], strict=True))}
    for record in sheet.averaged(view):
        yield record, curves[places[record.case_id, record.variant]]


def curves_of(record: CaseRecord) -> tuple[tuple[float, ...], ...]:
    """IoU, edit and preservation accuracy of one case in percent, from its counts."""
    score = PixelScore.from_json(record.evidence)
    return tuple(tuple(100 * share for share in getattr(score, field)) for field, _ in CURVES)


def most_typical(curves: NDArray[np.float64] | Sequence[Sequence[float]]) -> int:
    """The place of the row that lies nearest to the mean of all; the first of equal ones.

    >>> most_typical([[0.0, 0.0], [4.0, 4.0], [5.0, 5.0], [10.0, 10.0]])
    2
    """
    rows = np.asarray(curves, dtype=np.float64)
    apart = np.square(rows - rows.mean(axis=0)).sum(axis=1)
    return int(np.argmin(np.round(apart, 9)))
