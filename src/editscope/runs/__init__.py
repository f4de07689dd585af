"""Runs: plan, execute and resume them."""

from __future__ import annotations

from editscope.runs.plan import Plan, make_plan, plan_again
from editscope.runs.start import cores, execute, resume, run

__all__ = ["Plan", "cores", "execute", "make_plan", "plan_again", "resume", "run"]
