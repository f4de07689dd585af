"""Runs: plan, execute and resume them."""

from __future__ import annotations

from editscope.processes import cores
from editscope.runs.plan import Plan, make_plan, plan_again
from editscope.runs.start import execute, resume, run

__all__ = ["Plan", "cores", "execute", "make_plan", "plan_again", "resume", "run"]
