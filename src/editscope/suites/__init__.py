"""Where cases come from: one room per benchmark, found by name through entry points."""

from __future__ import annotations

from editscope.suites.base import Suite, Where, parse_where
from editscope.suites.benchmark import Benchmark, Option
from editscope.suites.registry import benchmark, load_suite, set_writer, suite_names, suite_title

__all__ = [
    "Benchmark",
    "Option",
    "Suite",
    "Where",
    "benchmark",
    "load_suite",
    "parse_where",
    "set_writer",
    "suite_names",
    "suite_title",
]
