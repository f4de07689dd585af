"""Runs: plan, execute and resume them.

Names are imported when they are first used: a worker imports this package for its engine, and plans nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from editscope.processes import cores

if TYPE_CHECKING:
    from editscope.runs.plan import Plan, make_plan, plan_again
    from editscope.runs.start import execute, resume, run

__all__ = ["Plan", "cores", "execute", "make_plan", "plan_again", "resume", "run"]

_HOME = {
    "Plan": "plan",
    "make_plan": "plan",
    "plan_again": "plan",
    "execute": "start",
    "resume": "start",
    "run": "start",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'editscope.runs' has no attribute {name!r}")
    return getattr(import_module(f"editscope.runs.{_HOME[name]}"), name)
