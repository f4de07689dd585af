"""Traces against pictures: which edits were reasoned right by one run, and drawn right by the run that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from editscope.errors import EditscopeError
from editscope.results.case_record import CaseRecord
from editscope.results.judged_tables import full_marks
from editscope.results.pixel_tables import RIGHT
from editscope.results.run import Run, open_run
from editscope.runfolder.repeats import plain, repeated
from editscope.suites.protocol import measures_from

REASONED = "reasoned"
"""The measure of a run that judges traces."""


@dataclass(frozen=True, slots=True)
class JudgedTrace:
    """An edit whose trace was judged, and whose picture was scored."""

    case_id: str
    variant: str
    reasoned: bool
    drawn: bool


@dataclass(frozen=True, slots=True)
class TracesAndPictures:
    """The edits of a run with both; ``by`` is what the pictures were scored by, an edit is right from ``right`` on."""

    edits: tuple[JudgedTrace, ...]
    by: str
    right: float


def judges_traces(run: Run) -> bool:
    """Whether a run judges the traces of the edits of another."""
    return run.judged and run.info["judging"].get("headline") == REASONED


def traces_and_pictures(run: Run) -> TracesAndPictures | None:
    """What a run that judges traces says beside the run whose edits these are; None where that is no longer there.

    A picture is right as in pass@k: from the best that the headline's scale has, or from an mIoU that pixel suites say.
    """
    try:
        drawn = open_run(Path(str(run.info.get("edits_of", ""))))
        if judges_traces(drawn) or not run.info.get("edits_of"):
            return None
        headline, right = _headline(drawn)
    except (EditscopeError, OSError):
        return None
    pictures = _by_variant(drawn)
    edits = []
    for record in run.records():
        reasoned = record.metrics.get(REASONED)
        picture = pictures.get((record.case_id, record.variant))
        value = None if picture is None else picture.metrics.get(headline)
        if reasoned is not None and value is not None:
            edits.append(JudgedTrace(record.case_id, record.variant, reasoned > 0.5, value >= right - 1e-9))
    return TracesAndPictures(tuple(edits), headline, right)


def _headline(run: Run) -> tuple[str, float]:
    if run.judged:
        return str(run.info["judging"]["headline"]), full_marks(run.info, measures_from(run.info["judging"]))
    return str(run.info["aggregation"].get("headline", "miou")), RIGHT


def _by_variant(run: Run) -> Mapping[tuple[str, str], CaseRecord]:
    """The records of a run by case and edit; edits that are judged together share one."""
    records = {}
    for record in run.records():
        name, repeat = plain(record.variant)
        for variant in name.split("+"):
            records[record.case_id, repeated(variant, repeat)] = record
    return records
