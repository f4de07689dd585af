"""KRIS-Bench: edits that need factual, conceptual or procedural knowledge."""

from __future__ import annotations

from editscope.suites.kris.data import load

__all__ = ["load"]
