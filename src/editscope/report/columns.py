"""Columns of a run's cases, and the tolerance curves that follow from the counts of one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from editscope.report.source import ReportCase, ReportRun
from editscope.scoring import PixelScore

Columns: TypeAlias = "dict[str, list[Any]]"
Curve: TypeAlias = "tuple[float, ...]"

TITLES = ("IoU", "Edit accuracy", "Preservation accuracy")
"""What the three curves of a case show."""

COUNTS = ("edit_pixels", "preservation_pixels", "hits", "spilled", "changed_pixels", "floor_miou")


def columns_of(run: ReportRun, records: Sequence[ReportCase]) -> Columns:
    """What ``run.rows()`` says, which reads everything at once; a run without that gets columns from its records."""
    rows = getattr(run, "rows", None)
    return dict(rows()) if callable(rows) else from_records(records)


def from_records(records: Sequence[ReportCase]) -> Columns:
    """One entry per case: id, tags, status, metrics, failure mode, counts and curves."""
    tags = dict.fromkeys(tag for record in records for tag in record.tags)
    metrics = dict.fromkeys(metric for record in records for metric in record.metrics)
    columns: Columns = {
        "case_id": [record.case_id for record in records],
        "variant": [getattr(record, "variant", "") for record in records],
        **{tag: [record.tags.get(tag) for record in records] for tag in tags},
        "status": [record.status for record in records],
        "reason": [record.reason for record in records],
        **{metric: [record.metrics.get(metric) for record in records] for metric in metrics},
        "failure": [record.failure for record in records],
        "fingerprint": [record.fingerprint for record in records],
        "latency_s": [record.latency_s for record in records],
        "cost_usd": [getattr(record, "cost_usd", None) for record in records],
    }
    return columns | _pixels([record.evidence for record in records])


def _pixels(evidence: Sequence[Mapping[str, Any]]) -> Columns:
    found = [case_curves(counts) for counts in evidence]
    if not any(found):
        return {}
    names = ("iou_curve", "edit_accuracy_curve", "preservation_accuracy_curve")
    columns: Columns = {name: [counts.get(name) for counts in evidence] for name in COUNTS}
    return columns | {
        name: [None if three is None else list(three[i]) for three in found] for i, name in enumerate(names)
    }


def case_curves(evidence: Mapping[str, Any]) -> tuple[Curve, Curve, Curve] | None:
    """IoU, edit and preservation accuracy of one case at ΔE 0 … 10, from its counts; None without counts.

    >>> from editscope.scoring import PixelScore
    >>> eleven = lambda n: (n,) * 11
    >>> score = PixelScore(4, 8, hits=eleven(2), spilled=eleven(4), changed_pixels=eleven(6), output_size=(4, 3))
    >>> [curve[5] for curve in case_curves(score.to_json())]
    [0.25, 0.5, 0.5]
    """
    if "hits" not in evidence:
        return None
    score = PixelScore.from_json(evidence)
    return score.iou, score.edit_accuracy, score.preservation_accuracy
