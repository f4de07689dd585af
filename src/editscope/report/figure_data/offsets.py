"""How far off the edits of a run are, where `editscope measure` has measured it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from editscope.errors import EditscopeError
from editscope.report.model import RunView, Sheet, is_diagnostic
from editscope.stats.diagnosis import ErrorRow, Interval, MedianError, error_rows

FILE = "measures.parquet"
OBJECTS = ("position_error", "angle_error", "size_error")
"""The errors of an object, as against those of colors alone."""


@dataclass(frozen=True, eq=False)
class Offsets:
    """mIoU by how far a right pixel may be from its place, and errors by task and over all cases; each may be empty.

    ``within`` goes from distances in pixels, 0 first, to mIoU in percent.
    """

    within: Mapping[int, Interval]
    rows: tuple[ErrorRow, ...]
    overall: Mapping[str, MedianError]


def offsets_of(sheet: Sheet, view: RunView) -> Offsets | None:
    """What is known of a run; None where nothing was measured, or before the run went on."""
    return view.once("offsets", lambda: _offsets(sheet, view))


def _offsets(sheet: Sheet, view: RunView) -> Offsets | None:
    if not (view.run.path / FILE).is_file():
        return None
    from editscope.results.classic_measures import averages, measures_of
    from editscope.scoring.offsets import RADII
    from editscope.scoring.offsets.metrics import ERRORS

    try:
        columns = measures_of(view.run)
        names = [metric.name for metric in ERRORS if metric.name in columns]
        radii = {radius: f"miou_within_{radius}" for radius in RADII if f"miou_within_{radius}" in columns}
        if not names and not radii:
            return None
        means = averages(view.run).get((), {}) if radii else {}
    except EditscopeError:  # measured before the run went on: the table no longer fits
        return None
    cell = view.summary["overall"].get("miou", {})
    exact = Interval(cell["mean"], cell.get("lo"), cell.get("hi")) if radii and cell.get("mean") is not None else None
    within = {0: exact, **{radius: means.get(name) for radius, name in radii.items()}}
    group = sheet.fine
    records = view.run.records()
    keys = [
        None
        if is_diagnostic(record.tags, sheet.aggregation)
        else "/".join(str(record.tags.get(tag)) for tag in group.by)
        if group
        else ""
        for record in records
    ]
    errors = {name: columns[name] for name in names}
    every = error_rows([None if key is None else "" for key in keys], errors)
    rows = error_rows(keys, errors, sheet.keys(group.name) if group else ())
    overall = every[0].errors if every else {}
    return Offsets({radius: mean for radius, mean in within.items() if mean is not None}, rows, overall)
