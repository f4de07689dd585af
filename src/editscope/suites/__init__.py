"""Where cases come from: one room per benchmark, found by name through entry points."""

from __future__ import annotations

from editscope.suites.base import Suite, Where, parse_where
from editscope.suites.registry import load_suite, set_writer, suite_names

__all__ = ["Suite", "Where", "load_suite", "parse_where", "set_writer", "suite_names"]
