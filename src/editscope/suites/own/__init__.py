"""Benchmarks of your own: a folder with ``suite.toml`` and ``cases.jsonl``, no code."""

from __future__ import annotations

from editscope.suites.own.data import load

__all__ = ["load"]
