"""The data behind the gallery: one record per case for the page's script, and the pictures as data URIs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from editscope.report.curves import TITLES, case_curves
from editscope.report.model import Model, Sheet, is_diagnostic
from editscope.report.source import ReportCase
from editscope.report.words import METRIC_NOTES, failure, failure_order, metric_name, plain
from editscope.stats.summary import percent_scale

ROLES = ("input", "answer", "edit", "error")
MIME = {".webp": "image/webp", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png"}

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, eq=False)
class SharedCase:
    """One case and what each run made of it."""

    sheet: Sheet
    records: Mapping[int, ReportCase]

    @property
    def first(self) -> ReportCase:
        """The first record of the case, for what all of them share."""
        return next(iter(self.records.values()))


def shared_cases(model: Model) -> list[SharedCase]:
    """Every case once, in the order of the suites, with the records of the runs that hold the very same case."""
    cases: dict[tuple[str, str, str], dict[int, ReportCase]] = {}
    homes: dict[tuple[str, str, str], Sheet] = {}
    for sheet in model.sheets:
        for view in sheet.runs:
            for record in view.records:
                key = (sheet.fingerprint, record.case_id, record.fingerprint)
                cases.setdefault(key, {})[view.index] = record
                homes[key] = sheet
    return [SharedCase(homes[key], records) for key, records in cases.items()]


@dataclass(frozen=True)
class Legend:
    """The lists that records of cases refer to by place."""

    metrics: tuple[str, ...]
    modes: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, cases: Sequence[SharedCase]) -> Legend:
        """The metrics and failure modes that occur."""
        metrics = dict.fromkeys(metric for sheet in model.sheets for metric in sheet.metrics)
        modes = failure_order({mode_of(r) for case in cases for r in case.records.values()})
        return cls(tuple(metrics), tuple(modes))


def index_data(model: Model, cases: Sequence[SharedCase], legend: Legend) -> Json:
    """What the gallery knows besides its cases: runs, metrics, failure modes, and tags to filter by."""
    return {
        "runs": [{"letter": v.letter, "name": v.name, "folder": v.run.path.name} for v in model.runs],
        "metrics": [
            {"key": m, "label": metric_name(m), "note": METRIC_NOTES.get(m, ""), "scale": percent_scale(m)}
            for m in legend.metrics
        ],
        "failures": [{"key": m, "label": failure(m).label, "note": failure(m).note} for m in legend.modes],
        "curves": list(TITLES),
        "tags": _tag_values(model, cases),
    }


def case_data(case: SharedCase, legend: Legend) -> tuple[Json, list[str]]:
    """One case for the gallery, and its pictures as data URIs, which the record refers to by their place.

    Keys of the results are short, since there are thousands: metrics m, failure f, status s, curves c in
    thousandths, latency t, output size z.
    """
    record = case.first
    pictures = Pictures()
    shared = [pictures.place(r.thumbs.get(role) for r in case.records.values()) for role in ROLES[:2]]
    tags = {**record.tags, "part": "diagnostic" if _diagnostic(case) else "averaged"}
    data = {
        "id": record.case_id,
        "text": record.instruction,
        "tags": tags,
        "print": record.fingerprint,
        "pics": shared,
        "runs": {str(index): _result(r, legend, pictures) for index, r in case.records.items()},
    }
    return data, list(pictures.uris)


def _tag_values(model: Model, cases: Sequence[SharedCase]) -> list[Json]:
    """The tags by which one can filter, those of the tables first, with their values in the order of the tables."""
    groups = [group for sheet in model.sheets for group in sheet.aggregation.groups]
    first = [tag for group in groups for tag in group.by]
    found = dict.fromkeys([*first, *(tag for case in cases for tag in case.first.tags)])
    result = []
    apart = {tag for sheet in model.sheets for tag in sheet.aggregation.exclude}
    for tag in (tag for tag in found if tag not in apart):
        values = {case.first.tags[tag] for case in cases if tag in case.first.tags}
        ordered = [v for sheet in model.sheets for v in sheet.aggregation.orders.get(tag, ())]
        seen = [case.first.tags[tag] for case in cases if tag in case.first.tags]
        order = [v for v in dict.fromkeys([*ordered, *seen]) if v in values]
        result.append({"key": tag, "label": plain(tag), "values": [[v, plain(v)] for v in order]})
    if any(_diagnostic(case) for case in cases):
        result.append(
            {"key": "part", "label": "Part", "values": [["averaged", "Benchmark"], ["diagnostic", "Diagnostic"]]}
        )
    return result


def _result(record: ReportCase, legend: Legend, pictures: Pictures) -> Json:
    curves = case_curves(record.evidence)
    values = {metric: record.metrics.get(metric) for metric in legend.metrics}
    result: Json = {
        "m": [None if v is None else round(v * percent_scale(m), 3) for m, v in values.items()],
        "f": legend.modes.index(mode_of(record)),
        "pics": [pictures.place([record.thumbs.get(role)]) for role in ROLES[2:]],
    }
    if record.status != "ok":
        result["s"] = record.status
    if record.reason:
        result["why"] = record.reason
    if record.latency_s is not None:
        result["t"] = round(record.latency_s, 3)
    if record.evidence.get("output_size"):
        result["z"] = _size(record.evidence)
    if curves:
        result["c"] = [[round(1000 * y) for y in curve] for curve in curves]
    return result


def _size(evidence: Mapping[str, Any]) -> str:
    width, height = evidence["output_size"]
    return f"{width} × {height}" + (", fitted to the answer" if evidence.get("resized") else "")


def mode_of(record: ReportCase) -> str:
    """The failure mode of a case, or the status that stands in for one."""
    return record.failure or record.status


def _diagnostic(case: SharedCase) -> bool:
    return is_diagnostic(case.first.tags, case.sheet.aggregation)


class Pictures:
    """The pictures of one case. Equal ones are kept once: a perfect edit is the answer, byte for byte."""

    def __init__(self) -> None:
        self.uris: dict[str, int] = {}

    def place(self, paths: Iterable[Path | None]) -> int:
        """The place of the first of these pictures that can be read, or -1."""
        for path in paths:
            uri = data_uri(path)
            if uri is not None:
                return self.uris.setdefault(uri, len(self.uris))
        return -1


def data_uri(path: Path | None) -> str | None:
    """A picture as a data URI; None where the file is missing, as in a run that is not finished."""
    if path is None or path.suffix.lower() not in MIME:
        return None
    try:
        return f"data:{MIME[path.suffix.lower()]};base64,{b64encode(path.read_bytes()).decode()}"
    except OSError:
        return None
