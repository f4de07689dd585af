"""Runs: plan, execute and resume them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from editscope.processes import cores
    from editscope.runs.plan import Plan, make_plan, plan_again
    from editscope.runs.start import execute, resume, run

# Names are looked up when first used: a worker process lives in this room, and needs none of them.
_HOME = {
    "Plan": "editscope.runs.plan",
    "cores": "editscope.processes",
    "execute": "editscope.runs.start",
    "make_plan": "editscope.runs.plan",
    "plan_again": "editscope.runs.plan",
    "resume": "editscope.runs.start",
    "run": "editscope.runs.start",
}

__all__ = ["Plan", "cores", "execute", "make_plan", "plan_again", "resume", "run"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
