"""Finished runs: their cases, tables, comparisons and archives."""

from __future__ import annotations

from editscope.results.run import CaseRecord, Run, Selection, open_run, open_runs

__all__ = ["CaseRecord", "Run", "Selection", "open_run", "open_runs"]
