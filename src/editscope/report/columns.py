"""The cases of a run as columns, from the run where it gives them, else from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from editscope.report.curves import case_curves
from editscope.report.source import ReportCase, ReportRun

Columns: TypeAlias = "dict[str, list[Any]]"

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
