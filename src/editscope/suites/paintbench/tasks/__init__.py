"""The twenty tasks, one file each."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from editscope.suites.paintbench.catalog import TASKS


@cache
def register_all() -> None:
    """Import every task file once, so that its function is registered."""
    for name in TASKS:
        import_module(f"{__name__}.{name}")
