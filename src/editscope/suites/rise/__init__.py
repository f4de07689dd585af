"""RISEBench: edits that need temporal, causal, spatial or logical reasoning."""

from __future__ import annotations

from editscope.suites.rise.data import load

__all__ = ["load"]
