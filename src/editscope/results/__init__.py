"""Finished runs: their cases, tables, comparisons and archives."""

from __future__ import annotations

from editscope.results.run import CaseRecord, Run, Selection, open_run

__all__ = ["CaseRecord", "Run", "Selection", "open_run"]
