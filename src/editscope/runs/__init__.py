"""Doing it: plan, journal, resume, the local engine, and the run as it lies on disk."""

from __future__ import annotations

from editscope.runs.plan import Plan, make_plan, plan_again
from editscope.runs.record import CaseRecord, Run, Selection, open_run
from editscope.runs.start import cores, execute, resume, run

__all__ = [
    "CaseRecord",
    "Plan",
    "Run",
    "Selection",
    "cores",
    "execute",
    "make_plan",
    "open_run",
    "plan_again",
    "resume",
    "run",
]
