"""Columns of a judged run with one entry per edit; the run itself has one per number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from editscope.results.case_record import CaseRecord

Columns: TypeAlias = "dict[str, list[Any]]"


def from_records(records: Sequence[CaseRecord]) -> Columns:
    """One entry per record: id, tags, status, measures, time and cost."""
    tags = dict.fromkeys(tag for record in records for tag in record.tags)
    metrics = dict.fromkeys(metric for record in records for metric in record.metrics)
    return {
        "case_id": [record.case_id for record in records],
        "variant": [record.variant for record in records],
        **{tag: [record.tags.get(tag) for record in records] for tag in tags},
        "status": [record.status for record in records],
        "reason": [record.reason for record in records],
        **{metric: [record.metrics.get(metric) for record in records] for metric in metrics},
        "failure": [record.failure for record in records],
        "fingerprint": [record.fingerprint for record in records],
        "latency_s": [record.latency_s for record in records],
        "cost_usd": [record.cost_usd for record in records],
    }
