"""Data behind the gallery, as columns: one entry per case, and for each run one entry per case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.report.figure_data.curves import CURVES
from editscope.report.model import Model, RunView, Sheet, is_diagnostic
from editscope.results.case_record import CaseRecord
from editscope.runfolder.repeats import case_name
from editscope.scoring.effect_overlay import effect_color
from editscope.stats.summary import percent_scale
from editscope.suites import suite_title
from editscope.wording import RECOVERY, MetricName, failure, failure_order, metric_name, metric_note, plain

Json: TypeAlias = dict[str, Any]

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
LONGEST_TRACE, ALL_TRACES = 1_500, 1_500_000
"""Characters of an editor's trace that the page holds, of one edit and of a run."""
"""Two of these hold a value of a curve in thousandths; two spaces say that there is none."""


@dataclass(frozen=True, eq=False)
class SharedCase:
    """One case and what each run made of it."""

    sheet: Sheet
    records: Mapping[int, CaseRecord]

    @property
    def first(self) -> CaseRecord:
        """The first record of the case, for what all of them share."""
        return next(iter(self.records.values()))

    @property
    def name(self) -> str:
        """The id of the case, with the variant where the case asks for several edits, and the repeat.

        An edit is looked at by itself, also where it is one of several repeats; where one call compares two, they are
        one entry.
        """
        return case_name(self.first.case_id, self.first.variant)

    @property
    def diagnostic(self) -> bool:
        """Whether the case stays out of every average."""
        return is_diagnostic(self.first.tags, self.sheet.aggregation)


def shared_cases(model: Model) -> list[SharedCase]:
    """Every case once, in the order of the suites, with the records of the runs that hold the very same case."""
    cases: dict[tuple[str, ...], dict[int, CaseRecord]] = {}
    homes: dict[tuple[str, ...], Sheet] = {}
    for sheet in model.sheets:
        for view in sheet.runs:
            for record in view.records:
                variant = record.variant
                key = (str(sheet.key), record.case_id, variant, record.fingerprint)
                cases.setdefault(key, {})[view.index] = record
                homes[key] = sheet
    return [SharedCase(homes[key], records) for key, records in cases.items()]


@dataclass(frozen=True)
class Legend:
    """The lists that columns refer to by place."""

    metrics: tuple[str, ...]
    modes: tuple[str, ...]
    statuses: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, cases: Sequence[SharedCase]) -> Legend:
        """The metrics, failure modes and statuses that occur; ``ok`` is the first status."""
        metrics = dict.fromkeys(metric for sheet in model.sheets for metric in sheet.metrics)
        records = [record for case in cases for record in case.records.values()]
        modes = failure_order({mode_of(record) for record in records})
        others = sorted({record.status for record in records} - {"ok"})
        return cls(tuple(metrics), tuple(modes), ("ok", *others))


def gallery_data(model: Model, cases: Sequence[SharedCase]) -> Json:
    """All that the gallery knows except where the pictures are."""
    legend = Legend.of(model, cases)
    tags = _tags(model, cases)
    judged = any(sheet.judged for sheet in model.sheets)
    return {
        "runs": [{"letter": v.letter, "name": v.name, "folder": v.run.path.name, **_judges(v)} for v in model.runs],
        "metrics": [
            {
                "key": m,
                "label": metric_name(m),
                "note": metric_note(m) or "",
                "scale": percent_scale(m),
                **_scale(m),
                **_color(m),
            }
            for m in legend.metrics
        ],
        "failures": [{"key": m, "label": failure(m).label, "note": failure(m).note} for m in legend.modes],
        "statuses": [[status, plain(status)] for status in legend.statuses],
        "curves": [title for _, title in CURVES],
        "tags": [
            {"key": t.key, "label": t.label, "values": t.values, **({"apart": 1} if t.apart else {})} for t in tags
        ],
        "cases": {
            "id": [case.name for case in cases],
            "text": [case.first.instruction for case in cases],
            "print": [case.first.fingerprint for case in cases],
            "tags": [tag.places for tag in tags],
            **({"judged": [int(case.sheet.judged) for case in cases]} if judged else {}),
        },
        "results": [_results(view, cases, legend) for view in model.runs],
    }


def _judges(view: RunView) -> Json:
    return {"judges": list(view.run.info["judging"]["judges"])} if view.run.judged else {}


def _color(metric: str) -> Json:
    """The color of an effect in overlays, with its name."""
    if not metric.startswith(RECOVERY):
        return {}
    effect = metric.removeprefix(RECOVERY)
    return {"color": effect_color(effect), "effect": plain(effect)}


def _scale(metric: str) -> Json:
    """The scale of a measure that a protocol defines."""
    if not isinstance(metric, MetricName):
        return {}
    return {"low": metric.low, "high": metric.high, "decimals": metric.decimals}


@dataclass(frozen=True, eq=False)
class _Tag:
    key: str
    label: str
    values: list[list[str]]
    places: list[int]
    apart: bool = False
    """Whether the tag only tells diagnostic cases from the others, which the tag ``part`` says better."""


def _tags(model: Model, cases: Sequence[SharedCase]) -> list[_Tag]:
    """The tags by which one can filter, those of the tables first, with their values in the order of the tables."""
    first = [tag for sheet in model.sheets for group in sheet.aggregation.groups for tag in group.by]
    names_of_tags = dict.fromkeys([*first, *(tag for case in cases for tag in case.first.tags)])
    apart = {tag for sheet in model.sheets for tag in sheet.aggregation.exclude}
    result = []
    for key in names_of_tags:
        ordered = [value for sheet in model.sheets for value in sheet.aggregation.orders.get(key, ())]
        column = [case.first.tags.get(key) for case in cases]
        values = [v for v in dict.fromkeys([*ordered, *(v for v in column if v is not None)]) if v in set(column)]
        places = {value: place for place, value in enumerate(values)}
        at = [places.get(value, -1) if value else -1 for value in column]
        result.append(_Tag(key, plain(key), [[v, plain(v)] for v in values], at, key in apart))
    if any(case.diagnostic for case in cases):
        parts = [["averaged", "Benchmark"], ["diagnostic", "Diagnostic"]]
        result.append(_Tag("part", "Part", parts, [int(case.diagnostic) for case in cases]))
    if len(model.sheets) > 1:
        result.insert(0, _sets(model, cases))
    return [tag for tag in result if tag.values]


def _sets(model: Model, cases: Sequence[SharedCase]) -> _Tag:
    """Which set a case is of, where there are several: the suite, with the fingerprint where two are of one suite."""
    often = Counter(sheet.suite for sheet in model.sheets)
    names = [s.suite if often[s.suite] == 1 else f"{s.suite}-{s.fingerprint}" for s in model.sheets]
    labels = [suite_title(s.suite) + ("" if often[s.suite] == 1 else f" {s.fingerprint[:6]}") for s in model.sheets]
    at = {id(sheet): place for place, sheet in enumerate(model.sheets)}
    values = [[name, label] for name, label in zip(names, labels, strict=True)]
    return _Tag("set", "Set", values, [at[id(case.sheet)] for case in cases])


def _results(view: RunView, cases: Sequence[SharedCase], legend: Legend) -> Json:
    """What one run made of every case. Keys are short: metrics m, failure f (-1: not in this run), status s (where
    not ok), its reason why, the instruction that was really asked and the editor's trace where there are any, latency
    t, output size z, curves c."""
    records = [case.records.get(view.index) for case in cases]
    modes = {mode: place for place, mode in enumerate(legend.modes)}
    statuses = {status: place for place, status in enumerate(legend.statuses)}
    known = [(place, record) for place, record in enumerate(records) if record is not None]
    return {
        "m": [_values(records, metric) for metric in legend.metrics],
        "f": [-1 if record is None else modes[mode_of(record)] for record in records],
        "s": {place: statuses[record.status] for place, record in known if record.status != "ok"},
        "why": {place: record.reason for place, record in known if record.reason},
        "notes": {place: list(notes) for place, record in known if (notes := record.notes)},
        "asked": {place: asked for place, record in known if (asked := record.asked)},
        "trace": _traces({place: trace for place, record in known if (trace := record.trace)}),
        "t": [None if r is None or r.latency_s is None else round(r.latency_s, 3) for r in records],
        "z": {place: size for place, record in known if (size := _size(record.evidence))},
        "c": _curves(records),
    }


def _traces(traces: dict[int, str]) -> dict[int, str]:
    """What editors thought or said, cut so that all of a run have room in a page; `editscope show` has the rest."""
    longest = min(LONGEST_TRACE, ALL_TRACES // max(len(traces), 1))
    return {place: text if len(text) <= longest else text[:longest].rstrip() + " …" for place, text in traces.items()}


def _values(records: Sequence[CaseRecord | None], metric: str) -> list[float | None]:
    scale = percent_scale(metric)
    values = (None if record is None else record.metrics.get(metric) for record in records)
    return [None if value is None else round(scale * value, 2) for value in values]


def _size(evidence: Mapping[str, Any]) -> str | None:
    """The output's size, where it had to be fitted to the answer."""
    if not evidence.get("resized") or not evidence.get("output_size"):
        return None
    width, height = evidence["output_size"]
    return f"{width} × {height}, fitted to the answer"


def _curves(records: Sequence[CaseRecord | None]) -> str:
    """IoU, edit accuracy and preservation accuracy at eleven tolerances: 66 digits for each case."""
    has = [record is not None and "hits" in record.evidence for record in records]
    if not any(has):
        return ""
    evidence = [record.evidence for record, there in zip(records, has, strict=True) if there and record is not None]
    try:
        hits, spilled = (np.array([e[name] for e in evidence], np.float64) for name in ("hits", "spilled"))
        edit, rest = (np.array([e[f"{n}_pixels"] for e in evidence], np.float64) for n in ("edit", "preservation"))
        there = np.array([e["output_size"] is not None for e in evidence])
        if hits.shape != (len(evidence), 11) or spilled.shape != hits.shape:
            raise ValueError("not eleven counts")
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"a pixel score cannot be read ({error!r}); Editscope did not write it") from error
    with np.errstate(divide="ignore", invalid="ignore"):
        curves = np.stack(
            [
                hits / (edit[:, None] + spilled),
                hits / edit[:, None],
                (rest[:, None] - spilled) / rest[:, None],
            ],
            axis=1,
        )
    curves = np.where(np.isnan(curves), 1.0, curves) * there[:, None, None]
    thousandths = np.rint(1000 * np.nan_to_num(curves, posinf=0.0)).astype(np.int64).reshape(len(evidence), 33)
    digits = np.frombuffer(DIGITS.encode(), np.uint8)
    pairs = np.stack([digits[thousandths >> 6], digits[thousandths & 63]], axis=2).reshape(len(evidence), 66)
    whole = np.full((len(records), 66), ord(" "), np.uint8)
    whole[np.array(has)] = pairs
    return whole.tobytes().decode("ascii")


def mode_of(record: CaseRecord) -> str:
    """The failure mode of a case, or the status that stands in for one."""
    return record.failure or record.status
