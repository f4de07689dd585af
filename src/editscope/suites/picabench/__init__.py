"""PICABench: edits whose physics is checked, question by question."""

from __future__ import annotations

from editscope.suites.picabench.data import load

__all__ = ["load"]
