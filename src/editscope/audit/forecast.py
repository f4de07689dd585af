"""Forecast of an audit, before anything is spent: calls, tokens and dollars of each judge."""

from __future__ import annotations

from pathlib import Path

from editscope.audit.asking import AuditPlan, last_lines, problem_calls
from editscope.audit.known_edit_set import make_set, read_set
from editscope.judges.records import Estimate
from editscope.runs.budget import spent_in
from editscope.transport.account import FILE as SPENDING
from editscope.transport.account import read_balance
from editscope.transport.forecast import Forecast


def forecast_audit(plan: AuditPlan) -> Forecast:
    """What the rest of an audit will take. The first problems are made to see how large pictures are.

    Calls that the journal or the cache answers are left out. Nothing is written.
    """
    from tempfile import TemporaryDirectory

    few = min(plan.n, 4)
    lines = last_lines(plan.out)
    answered = {(*key, line["digest"]) for key, line in lines.items()}
    with TemporaryDirectory() as folder:
        if plan.suite is None:
            edit_set = read_set(plan.home)
        else:
            edit_set = make_set(Path(folder), plan.suite, few, seed=plan.seed)
        shown = edit_set.problems[:few]
        calls = [
            (call, samples) for n, one in enumerate(shown) for call, samples in problem_calls(edit_set, one, n, plan)
        ]
    asked = sum(samples for _, samples in calls)
    parts, cached = [], 0
    for judge in plan.judges:
        estimate = sum((judge.estimate([call], samples) for call, samples in calls), Estimate(cost_usd=0.0))
        share = sum(key[2] == judge.spec for key in answered) / max(1, asked * plan.n / max(1, len(shown)))
        times = plan.n / max(1, len(shown)) * max(0.0, 1.0 - share)
        cached += round((asked - estimate.calls) * times)
        parts.append(judge.paid_calls(estimate).scaled(times))
    exact = len(shown) == plan.n
    how = () if exact else (f"calls were counted on {len(shown)} of {plan.n} problems",)
    spent = max(spent_in(lines.values()), read_balance(plan.out / SPENDING).committed)
    return Forecast(tuple(parts), cached, "" if exact else "about ", how, spent, plan.budget)
